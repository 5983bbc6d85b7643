/* Numbers that are none. */
#define CUDA_VERSION 99999999999999999999
#define CUDA_VERSION -3
