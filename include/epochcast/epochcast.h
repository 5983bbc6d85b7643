/* All of libepochcast. */
#ifndef EPOCHCAST_EPOCHCAST_H
#define EPOCHCAST_EPOCHCAST_H

#include "epochcast/command.h"
#include "epochcast/err.h"
#include "epochcast/graph.h"
#include "epochcast/hw.h"
#include "epochcast/predict.h"
#include "epochcast/store.h"

#endif
