/* The base of all other folders: errors, memory, text, fields, files, JSON, CSV. */
#ifndef EC_BASE_H
#define EC_BASE_H

#include "base/embed.h"
#include "base/err.h"
#include "base/field.h"
#include "base/headroom.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/module.h"
#include "base/print.h"
#include "base/sandbox.h"
#include "base/text.h"

#endif
