# A queue of jobs on several devices: which runs which, when all have ended, what it costs.
cat > jobs.csv <<'END'
job,model,batch,dataset,epochs,precision,samples
small,resnet18,128,cifar10,2,,
large,resnet50,64,imagenet,3,fp32,
text,bert_base,16,,,amp,20000
huge,gpt2_xl,8,,,,1000
END
epochcast plan --jobs jobs.csv -d t4,l4 --prices t4=0.35,l4=0.7
epochcast plan --jobs jobs.csv -d l4 --devices 2 --csv | cut -d, -f1-3
printf 'model,colour\nmlp,1\n' > wrong.csv
epochcast plan --jobs wrong.csv -d t4
printf 'model\nmlp\n' > wrong.csv
epochcast plan --jobs wrong.csv -d t4
printf 'network,batch\nmlp,1\n' > wrong.csv
epochcast plan --jobs wrong.csv -d t4
epochcast plan mlp --jobs jobs.csv -d t4
for more in '--deadline 2h' '--budget 3usd --usd-per-hour 1' '--energy 1kWh' '--why-not t4' '--out q.svg'; do
    epochcast plan --jobs jobs.csv -d t4 $more
done
