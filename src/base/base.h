/* The base of all other folders: errors, memory, text, fields, files, JSON, CSV. */
#ifndef EC_BASE_H
#define EC_BASE_H

#include "base/crc32.h"
#include "base/dynlib.h"
#include "base/embed.h"
#include "base/err.h"
#include "base/field.h"
#include "base/file.h"
#include "base/group.h"
#include "base/hdf5.h"
#include "base/headroom.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/module.h"
#include "base/print.h"
#include "base/said.h"
#include "base/sandbox.h"
#include "base/text.h"
#include "base/zip.h"

#endif
