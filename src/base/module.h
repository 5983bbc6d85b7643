/* Opens parts of this program that are files of their own, because they need libraries that the
 * program itself does without. */
#ifndef EC_BASE_MODULE_H
#define EC_BASE_MODULE_H

/* By dlopen with these flags: beside the program, else where modules are installed. NULL: it is in
 * neither place, or does not open (dlerror). name: shorter than 64 characters */
void *ec_module_open(const char *name, int flags);

/* Around calls of a library that ends the process where memory does: the command's handler of fatal
 * signals asks which one was called. By any thread, one within another; name: stays */
void ec_foreign_begin(const char *name);
void ec_foreign_end(void);
const char *ec_foreign(void); /* NULL: none is called now */

#endif
