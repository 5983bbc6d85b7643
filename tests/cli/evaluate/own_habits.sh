# Tables as people and their tools keep them: comment, NumPy's header, semicolons, Markdown, trackers, flags.
printf '%s\n' '# Anna, Nov 2026, workstation' '#' '# driver 570' 'model,gpu,batch,precision,step_time_ms' \
    'resnet50,RTX 3090,64,amp,92.7' '# the fan died' 'resnet50,RTX 3090,128,amp,178.9' >comment.csv
printf '%s\n' '# model,gpu,batch,precision,step_time_ms' 'resnet50,RTX 3090,64,amp,92.7' >numpy.csv
printf '%s\n' '# Anna; 2026' 'model;GPU;batch size;precision;step time;memory' \
    'resnet50;RTX 3090;64;amp;92,7 ms;6,1 GB' >semicolons.csv
printf '%s\n' '| Model | GPU | Batch size | Precision | Throughput (img/s) |' '|:--|---|---:|---|---:|' \
    '| **ResNet-50** | RTX 3090 | 64 | `AMP` | 690 |' '| VGG-16 | A100 80GB | 256 | amp | 1,510 |' >readme.md
printf '%s\n' 'run_id,status,metrics.loss,metrics.samples_per_second,params.batch_size,params.model,params.amp,params.gpu' \
    'a,FINISHED,1.9,690.2,64,resnet50,True,RTX 3090' 'b,FAILED,,,512,resnet50,True,RTX 3090' >mlflow.csv
printf '%s\n' 'Name,State,args.batch_size,args.model,args.amp,args.gpu,train/samples_per_second,eval/samples_per_second' \
    'x,finished,64,resnet50,true,RTX 3090,690.2,2100' >wandb.csv
printf '%s\n' 'model,gpu,batch,fp16,bf16,step_time_ms' 'resnet50,RTX 3090,64,False,True,92.7' \
    'resnet50,RTX 3090,64,True,False,92.7' 'resnet50,RTX 3090,64,False,False,165.9' >flags.csv
for f in comment.csv numpy.csv semicolons.csv readme.md mlflow.csv wandb.csv flags.csv; do
    echo $f
    epochcast evaluate $f --csv | cut -d, -f2-6,9,10
done
# The number of an epoch is no time; a log and JSON are no tables.
printf '%s\n' 'model,gpu,batch,precision,epoch,dataset_size' 'resnet50,RTX 3090,64,amp,1,1281167' >epoch.csv
printf 'iter 10: loss 3.0, time 94.20ms\niter 20: loss 2.9, time 94.10ms\n' >train.log
printf '{"current_steps": 10, "elapsed_time": "0:00:32"}\n{"current_steps": 20, "elapsed_time": "0:01:04"}\n' >log.jsonl
printf '{"loss": 1, "epoch": 2}\n' >other.jsonl
printf '  epoch,  time\n 1, 61.3\n' >results.csv
for f in epoch.csv train.log log.jsonl other.jsonl results.csv; do
    epochcast evaluate $f
done
