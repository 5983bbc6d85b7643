/* of a toolkit without version.json */
#define CUDA_VERSION 11080
