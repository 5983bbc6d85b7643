/* Opens parts of this program that are files of their own, because they need libraries that the
 * program itself does without. */
#ifndef EC_BASE_MODULE_H
#define EC_BASE_MODULE_H

/* By dlopen with these flags: beside the program, else where modules are installed. NULL: it is in
 * neither place, or does not open (dlerror). name: shorter than 64 characters */
void *ec_module_open(const char *name, int flags);

/* How many calls into libraries that may end the process are under way, in all threads: a handler
 * of fatal signals asks. Written by atomic operations. */
extern int ec_foreign_calls;

#endif
