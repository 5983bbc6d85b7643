/* Methods of prediction by name: our own, two plain estimates, and published methods that add up
 * layers. They can be compared on the same rows. */
#ifndef EC_PREDICT_METHODS_H
#define EC_PREDICT_METHODS_H

#include "epochcast/predict.h"

#define EC_METHOD_OWN 0
extern const char *const ec_method_names[]; /* NULL-terminated */
/* Help text of one line. */
const char *ec_method_help(int method);
/* Errors: INPUT when the query names a host and the method has none; only our own method has.
 * host  NULL or "": not named */
enum ec_status ec_method_check(int method, const char *host, struct ec_err *err) EC_MUST_CHECK;
/* Time in ns of the step by the method. Plain estimates are for one device.
 * model, op  one of them; the other is NULL
 * Errors     INPUT when the method is for networks; else those of a prediction */
enum ec_status ec_method_ns(struct ec_predictor *p, int method, const char *model, const char *op,
                            const char *device, const struct ec_predict_opts *opts, double *ret,
                            struct ec_err *err) EC_MUST_CHECK;
/* A number without an interval: both ends are NaN. */
struct ec_interval ec_no_interval(double v);
/* Replaces the times and the cost of a prediction by those of the method, without interval and
 * without parts. */
void ec_method_replace(struct ec_prediction *r, double step_ns);

#endif
