# Networks by their names on hubs; folders that are here come first.
for name in meta-llama/Llama-3.1-8B-Instruct timm/resnet50.a1_in1k google-bert/bert-base-uncased; do
    epochcast predict "$name" --device h100 --batch 1 --tuning full | grep -E ', batch|taken for'
done
# The slash of a size is no folder.
epochcast predict ViT-L/16 --device h100 --batch 8 | grep -E ', batch|taken for'
epochcast model stable-diffusion-xl --totals | head -n 1
mkdir mine
epochcast predict mine/resnet50 --device h100
epochcast predict someone/unknown-7b --device h100
