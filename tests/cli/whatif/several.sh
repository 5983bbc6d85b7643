# Several values of a feature; the others take those of the table.
python3 - > grid.csv <<'END'
print("depth,base_filters,batch_size,time_per_epoch")
for d in (2, 3, 4):
    for f in (16, 32):
        for b in (32, 64):
            print(f"{d},{f},{b},{d * f / 32 * (1 + 8 / b):.3f}")
END
epochcast whatif --table grid.csv depth=3,4 base_filters=32 --csv | cut -d , -f 1-3 | sort
epochcast whatif --table grid.csv depth=3,x
epochcast whatif --table grid.csv depth=3,
