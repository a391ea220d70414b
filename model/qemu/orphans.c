/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/orphans.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "qemu/imports.h"

/* Held for a moment only. It is new in each child, where QEMU may have begun a thread already. */
static pthread_mutex_t taking_over = PTHREAD_MUTEX_INITIALIZER;

#ifdef __GLIBC__

/* The C library notes the thread that holds a mutex, of every kind, by the kernel's number. */
static bool is_orphan(pthread_mutex_t *mutex)
{
	int owner = __atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED);
	int error = errno;
	bool gone = owner && syscall(SYS_tgkill, getpid(), owner, 0) && errno == ESRCH;

	errno = error;
	return gone;
}

/* Nobody in this process waits for it: whoever comes looks here first. */
static void release(pthread_mutex_t *mutex)
{
	pthread_mutex_lock(&taking_over);
	if (is_orphan(mutex)) {
		mutex->__data.__count = 0;
		mutex->__data.__nusers = 0;
		mutex->__data.__owner = 0;
		__atomic_store_n(&mutex->__data.__lock, 0, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&taking_over);
}

int orphans_lock(pthread_mutex_t *mutex)
{
	int error = pthread_mutex_trylock(mutex);

	if (error != EBUSY)
		return error;
	if (is_orphan(mutex))
		release(mutex);
	return pthread_mutex_lock(mutex);
}

static void replace_lock(void)
{
	imports_replace("pthread_mutex_lock", (import_function *)orphans_lock);
}

#else

int orphans_lock(pthread_mutex_t *mutex)
{
	return pthread_mutex_lock(mutex);
}

static void replace_lock(void)
{
}

#endif

/* ---- The table of threads --------------------------------------------------------------------
 * QEMU's plugins have a table of the numbers of threads, each its own key and value. A child's
 * threads get numbers of those that are missing there, and QEMU aborts since these are in it.
 */

typedef int put_function(void *table, void *key, void *value);

static put_function *insert, *put_instead;

static int put(void *table, void *key, void *value)
{
	if (key != value)
		return insert(table, key, value);
	put_instead(table, key, value);
	return 1; /* new */
}

static void replace_insert(void)
{
	insert = (put_function *)dlsym(RTLD_DEFAULT, "g_hash_table_insert");
	put_instead = (put_function *)dlsym(RTLD_DEFAULT, "g_hash_table_replace");
	if (insert && put_instead)
		imports_replace("g_hash_table_insert", (import_function *)put);
}

void orphans_forked(void)
{
	static bool replaced;

	pthread_mutex_init(&taking_over, NULL);
	if (replaced)
		return;
	replaced = true;
	replace_lock();
	replace_insert();
}
