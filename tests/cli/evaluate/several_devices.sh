cat > table.csv <<'END'
network,dataset,dataset_size,device,num_gpus,strategy,batch_size_per_gpu,global_batch_size,optimizer,epoch,measure,time_s,steps_per_epoch,step_time_ms
mnist_cnn,mnist,60000,p100-pcie-16gb,1,single,8,8,adam,1,epoch,18,7500,2.41
mnist_cnn,mnist,60000,p100-pcie-16gb,1,single,8,8,adam,2,epoch,16,7500,2.2
mnist_cnn,mnist,60000,p100-pcie-16gb,2,mirrored,8,16,adam,,epoch_median_2_to_last,16,3750,3.9
mnist_cnn,mnist,60000,p100-pcie-16gb,2,mirrored,8,16,adam,,total_10_epochs,16,3750,4
END
epochcast evaluate --networks table.csv --by devices --all-methods --csv | cut -d , -f 1-5
epochcast evaluate --networks table.csv --mapping practicum-network-total --csv | cut -d , -f 1-4
