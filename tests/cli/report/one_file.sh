# A report of one table, beside others.
mkdir runs
printf 'model,device,batch,precision,step_time_ms\nresnet50,t4,16,fp32,155\n' >runs/mine.csv
printf 'model,device,batch,precision,step_time_ms\nvgg16,t4,16,fp32,300\n' >runs/other.csv
epochcast report runs/mine.csv
grep -c vgg16 runs/mine-report/report.md
# One that holds no runs is told so, alone and in a folder.
mkdir other
printf 'model,architecture,layers,hidden,heads,ffn,vocab,max_positions\nm,gpt,2,8,2,32,100,64\n' >other/models.csv
epochcast report other/models.csv || true
epochcast report other
