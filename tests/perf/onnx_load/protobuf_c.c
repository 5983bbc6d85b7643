/* protobuf_c FILE [RUNS]: time to unpack an ONNX file with code that protoc-c generated. */
#include "onnx.pb-c.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int compare(const void *x, const void *y)
{
    const double *a = x, *b = y;

    return (*a > *b) - (*a < *b);
}

static int load_once(const char *path)
{
    int fd = open(path, O_RDONLY), nodes = -1;
    Onnx__ModelProto *model;
    struct stat info;
    void *data;

    if (fd < 0 || fstat(fd, &info))
        return -1;
    data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    model = onnx__model_proto__unpack(NULL, (size_t)info.st_size, data);
    if (model)
        nodes = (int)model->graph->n_node;
    onnx__model_proto__free_unpacked(model, NULL);
    munmap(data, (size_t)info.st_size);
    close(fd);
    return nodes;
}

int main(int argc, char **argv)
{
    int runs = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 20, i;
    double ms[1000];

    for (i = 0; i < runs && i < 1000; i++) {
        double start = now_ms();

        if (load_once(argv[1]) < 0)
            return 1;
        ms[i] = now_ms() - start;
    }
    qsort(ms, (size_t)runs, sizeof *ms, compare);
    printf("%.3f %.3f\n", ms[0], ms[runs / 2]);
    return 0;
}
