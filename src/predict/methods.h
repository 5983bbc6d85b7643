/* Named ways to predict a step: ours, two plain estimates, and published compositions of layers, so
 * that their comparison can be repeated on any rows. */
#ifndef EC_PREDICT_METHODS_H
#define EC_PREDICT_METHODS_H

#include "epochcast/predict.h"

#define EC_METHOD_OWN 0
extern const char *const ec_method_names[]; /* NULL-terminated */
/* One line on what the method does. */
const char *ec_method_help(int method);
/* Whether the question can be put to the method: only our own prediction has a host.
 * host  NULL or "": none is named. Errors: INPUT */
enum ec_status ec_method_check(int method, const char *host, struct ec_err *err) EC_MUST_CHECK;
/* Time of the step by the method. Plain estimates know one device.
 * model, op  one of them
 * Errors     INPUT when the method is for networks; else those of a prediction */
enum ec_status ec_method_ns(struct ec_predictor *p, int method, const char *model, const char *op,
                            const char *device, const struct ec_predict_opts *opts, double *ret,
                            struct ec_err *err) EC_MUST_CHECK;
/* A number that nobody gives an interval of: its ends are NaN. */
struct ec_interval ec_no_interval(double v);
/* A prediction with its times and cost replaced by the method's: without interval and without
 * parts. */
void ec_method_replace(struct ec_prediction *r, double step_ns);

#endif
