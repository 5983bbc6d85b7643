# A user's own table: each row beside its prediction, with the likely reason; unknown words are named.
cat > mine.csv <<'END'
Network,GPU,bs,time (ms),memory_mb,step_tme
resnet18,RTX 3090,64,400,3000,1
resnet50,RTX 3090,64,420,6000,1
resnet51,RTX 3090,64,420,6000,1
resnet50,RTX 3O90,64,420,6000,1
resnet50,RTX 3090,256,19000,44000,1
resnet50,A100,32,30,3000,1
END
# Numbers of the fit are not the point here.
judged() { cut -d, -f1-6,9,10,15-17; }
epochcast evaluate mine.csv --csv | judged
printf 'model,device,batch,precision,samples_per_s\nresnet18,rtx3090,64,amp,300\nresnet50,rtx3090,64,amp,290\n' > loader.csv
epochcast evaluate loader.csv --csv | judged
epochcast evaluate loader.csv | sed -n '/^  inside/,$p' | sed 's/[0-9]* %/N %/g'
epochcast evaluate mine.csv --networks mine.csv
printf 'model,device,batch,precision,step_tme_ms\nresnet18,rtx3090,64,amp,300\n' > misspelt.csv
epochcast evaluate misspelt.csv
