/* The recipes: one row per picture, in pictures.txt. */
#include "report/picture.h"

/* Names that tables give to the same thing. */
#define MODEL "model|network|what"
#define ENV "env|environment|device"
#define BATCH "batch_size|batch|batch_size_per_gpu"
/* Filters of mode, precision and job. */
#define KIND "mode?,precision?,job?"
#define RATE "images_per_s|images_per_second|samples_per_s|throughput"

static const struct ec_picture recipes[] = {
#include "report_pictures.h"
};

const struct ec_picture *ec_pictures(int *ret_n)
{
    *ret_n = EC_LEN(recipes);
    return recipes;
}
