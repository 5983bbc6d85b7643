# Devices of one type differ, iterations scatter: a finding, throughput over iterations, a histogram.
awk 'BEGIN { print "env,model,device,batch,precision,iteration,time_ms"
    for (n = 1; n <= 3; n++) for (i = 0; i < 30; i++)
        printf "node%d,lenet5,t4,32,fp32,%d,%.3f\n", n, i, 10 + n + (i % 7) / 10 + (i == 29) * 5 }' > runs.csv
epochcast analyse runs.csv --no-predict --throughput
epochcast analyse runs.csv --throughput --complexity
epochcast plot step-times runs.csv --out times.svg
grep -o '>Times of iterations: lenet5<' times.svg
grep -c 'node[123]' times.svg
