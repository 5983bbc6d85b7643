/* Numbers that are none. */
#define CUDNN_MAJOR 9 9
#define CUDNN_MAJOR
#define