cat > table.csv <<'END'
device,model,family,img_size_source,peak_gpu_mem_mib,usable,batch_size,img_size
A100,resnet18,resnet,x,2000,1,32,224
A100,vgg16,vgg,x,5000,1,32,224
END
epochcast evaluate --networks table.csv --csv | cut -d , -f 1-4
