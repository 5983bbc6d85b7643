/* A driver library that lists two GPUs: an A100 with every number, and one of a future generation
 * that answers only what is required. Built as a shared object; the probe opens it by path. */
#include <stdio.h>
#include <string.h>

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetCount_v2(unsigned *ret);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **ret);
int nvmlDeviceGetName(const int *gpu, char *out, unsigned size);
int nvmlDeviceGetMemoryInfo(const int *gpu, unsigned long long *ret);
int nvmlSystemGetDriverVersion(char *out, unsigned size);
int nvmlSystemGetCudaDriverVersion_v2(int *ret);
int nvmlDeviceGetCudaComputeCapability(const int *gpu, int *ret_major, int *ret_minor);
int nvmlDeviceGetNumGpuCores(const int *gpu, unsigned *ret);
int nvmlDeviceGetMaxClockInfo(const int *gpu, int which, unsigned *ret);
int nvmlDeviceGetEnforcedPowerLimit(const int *gpu, unsigned *ret);
int nvmlDeviceGetCurrPcieLinkGeneration(const int *gpu, unsigned *ret);
int nvmlDeviceGetCurrPcieLinkWidth(const int *gpu, unsigned *ret);
int nvmlDeviceGetMaxPcieLinkGeneration(const int *gpu, unsigned *ret);
int cudaRuntimeGetVersion(int *ret);
size_t cudnnGetVersion(void);

enum { OK = 0, NOT_SUPPORTED = 3 };

static int gpus[2] = { 0, 1 };

static int answer(const int *gpu, unsigned *ret, unsigned v)
{
    if (*gpu != 0)
        return NOT_SUPPORTED;
    *ret = v;
    return OK;
}

int nvmlInit_v2(void)
{
    return OK;
}

int nvmlShutdown(void)
{
    return OK;
}

int nvmlDeviceGetCount_v2(unsigned *ret)
{
    *ret = 2;
    return OK;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **ret)
{
    *ret = &gpus[index];
    return OK;
}

int nvmlDeviceGetName(const int *gpu, char *out, unsigned size)
{
    (void)snprintf(out, size, "%s", *gpu == 0 ? "NVIDIA A100-SXM4-80GB" : "NVIDIA Z900");
    return OK;
}

int nvmlDeviceGetMemoryInfo(const int *gpu, unsigned long long *ret)
{
    if (*gpu != 0)
        return NOT_SUPPORTED;
    ret[0] = 81920ull << 20;
    ret[1] = 81000ull << 20;
    ret[2] = 920ull << 20;
    return OK;
}

int nvmlSystemGetDriverVersion(char *out, unsigned size)
{
    (void)snprintf(out, size, "550.54.15");
    return OK;
}

int nvmlSystemGetCudaDriverVersion_v2(int *ret)
{
    *ret = 12040;
    return OK;
}

int nvmlDeviceGetCudaComputeCapability(const int *gpu, int *ret_major, int *ret_minor)
{
    *ret_major = 8;
    *ret_minor = 0;
    return *gpu == 0 ? OK : NOT_SUPPORTED;
}

int nvmlDeviceGetNumGpuCores(const int *gpu, unsigned *ret)
{
    return answer(gpu, ret, 6912);
}

int nvmlDeviceGetMaxClockInfo(const int *gpu, int which, unsigned *ret)
{
    return answer(gpu, ret, which == 1 ? 1410 : 1593);
}

int nvmlDeviceGetEnforcedPowerLimit(const int *gpu, unsigned *ret)
{
    return answer(gpu, ret, 400000);
}

int nvmlDeviceGetCurrPcieLinkGeneration(const int *gpu, unsigned *ret)
{
    return answer(gpu, ret, 1);
}

int nvmlDeviceGetCurrPcieLinkWidth(const int *gpu, unsigned *ret)
{
    return answer(gpu, ret, 16);
}

int nvmlDeviceGetMaxPcieLinkGeneration(const int *gpu, unsigned *ret)
{
    return answer(gpu, ret, 4);
}

/* Of CUDA's runtime and cuDNN, which tell their versions without a device. */
int cudaRuntimeGetVersion(int *ret)
{
    *ret = 12040;
    return 0;
}

size_t cudnnGetVersion(void)
{
    return 90100;
}
