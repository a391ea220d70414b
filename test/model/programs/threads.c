/* SPDX-License-Identifier: Apache-2.0 */
/* Threads in all the ways in which they wait for, wake and end each other. Usage: threads WAY */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4

static volatile int stop;
static volatile long spins;
static long counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t shared_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin_lock;
static pthread_barrier_t barrier;
static sem_t free_slots, used_slots, all_done;
static int ends[2];

static void work(int times)
{
	for (volatile int i = 0; i < times; i++)
		;
}

static void *spin(void *user)
{
	while (!stop)
		spins++;
	return user;
}

static void *count_locked(void *user)
{
	for (int i = 0; i < 500; i++) {
		pthread_mutex_lock(&lock);
		counter++;
		pthread_mutex_unlock(&lock);
	}
	return user;
}

static void *count_a_little(void *user)
{
	for (int i = 0; i < 10; i++) {
		pthread_mutex_lock(&lock);
		counter++;
		pthread_mutex_unlock(&lock);
	}
	return user;
}

static void *pass_on(void *user)
{
	long me = (long)user;

	for (long i = me; i < 200; i += THREADS) {
		pthread_mutex_lock(&lock);
		while (counter != i)
			pthread_cond_wait(&changed, &lock);
		counter++;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
	}
	return user;
}

/* Only one of two threads runs at a time. */
static void *relay(void *user)
{
	sem_t *mine = user ? &used_slots : &free_slots, *next = user ? &free_slots : &used_slots;

	for (int i = 0; i < 300; i++) {
		sem_wait(mine);
		work(300);
		sem_post(next);
	}
	return user;
}

/* Half the threads put something into two slots, the others take it out. */
static void *hand_over(void *user)
{
	sem_t *from = (long)user % 2 ? &free_slots : &used_slots;
	sem_t *to = (long)user % 2 ? &used_slots : &free_slots;

	for (int i = 0; i < 100; i++) {
		sem_wait(from);
		__atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
		sem_post(to);
	}
	return user;
}

static void *read_mostly(void *user)
{
	long seen = 0;

	for (int i = 0; i < 200; i++) {
		if (i % 8 == 0) {
			pthread_rwlock_wrlock(&shared_lock);
			counter++;
		} else {
			pthread_rwlock_rdlock(&shared_lock);
			seen += counter;
		}
		work(20);
		pthread_rwlock_unlock(&shared_lock);
	}
	return seen < 0 ? 0 : user;
}

static void *meet(void *user)
{
	for (int i = 0; i < 60; i++) {
		work(50 * (int)(long)user);
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
			counter++;
	}
	return user;
}

static void *count_spinning(void *user)
{
	for (int i = 0; i < 300; i++) {
		pthread_spin_lock(&spin_lock);
		counter++;
		pthread_spin_unlock(&spin_lock);
	}
	return user;
}

static void *count_and_post(void *user)
{
	count_locked(user);
	sem_post(&all_done);
	return user;
}

static void *add_events(void *user)
{
	eventfd_t events;

	for (int i = 0; i < 50; i++)
		if ((long)user ? eventfd_write(ends[0], 1) : eventfd_read(ends[0], &events))
			abort();
	return user;
}

static void *read_all(void *user)
{
	char byte;

	while (read(ends[0], &byte, 1) == 1)
		counter++;
	return user;
}

static void *sleep_a_little(void *user)
{
	for (int i = 0; i < 5; i++)
		usleep(1000);
	return user;
}

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

/* Runs it in all threads, this one included. */
static int together(void *(*run)(void *))
{
	pthread_t others[THREADS];

	for (long i = 1; i < THREADS; i++)
		if (pthread_create(&others[i], 0, run, (void *)i))
			return 1;
	run((void *)0);
	for (int i = 1; i < THREADS; i++)
		if (pthread_join(others[i], 0))
			return 1;
	return 0;
}

static int fork_some(void)
{
	int status;

	for (int i = 0; i < 10; i++) {
		pid_t child = fork();

		if (child == 0)
			_exit(i);
		if (child < 0 || waitpid(child, &status, 0) != child || WEXITSTATUS(status) != i)
			return 1;
	}
	return 0;
}

static void *fork_all(void *user)
{
	if (fork_some())
		abort();
	return user;
}

/* Children of a program with threads, which begin threads of their own. */
static void *fork_more(void *user)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		counter = 0;
		_exit(together(count_a_little) || counter != 10L * THREADS);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		abort();
	return user;
}

/* What this thread does while another one spins. */
static int beside(const char *way, pthread_t other)
{
	int status = 0;

	work(10000);
	if (!strcmp(way, "exit"))
		exit(7);
	if (!strcmp(way, "abort"))
		abort();
	if (!strcmp(way, "fork"))
		status = fork_some();
	if (!strcmp(way, "signal"))
		status = signal(SIGUSR1, on_signal) == SIG_ERR || pthread_kill(other, SIGUSR1);
	else
		stop = 1;
	return status | pthread_join(other, 0);
}

static int write_some(pthread_t reader)
{
	for (int i = 0; i < 100; i++)
		if (write(ends[1], "x", 1) != 1)
			return 1;
	close(ends[1]);
	return pthread_join(reader, 0) || counter != 100;
}

static int come_and_go(void)
{
	for (int i = 0; i < 20; i++) {
		pthread_t other;

		if (pthread_create(&other, 0, count_locked, 0) || pthread_join(other, 0))
			return 1;
	}
	return 0;
}

/* Many at once, more than the host has processors, which end in any order. */
static int burst(void)
{
	pthread_t others[64];

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 64; i++)
			if (pthread_create(&others[i], 0, count_a_little, 0))
				return 1;
		for (int i = 64; i-- > 0;)
			if (pthread_join(others[i], 0))
				return 1;
	}
	return counter != 2L * 64 * 10;
}

static void *stand_by(void *user)
{
	pthread_mutex_lock(&lock);
	counter++;
	while (!stop)
		pthread_cond_wait(&changed, &lock);
	counter--;
	pthread_mutex_unlock(&lock);
	return user;
}

/* Many sleep while one makes calls that may wake others. */
static int bystanders(void)
{
	pthread_t others[48];
	char byte = 0;

	if (pipe(ends))
		return 1;
	for (int i = 0; i < 48; i++)
		if (pthread_create(&others[i], 0, stand_by, 0))
			return 1;
	for (int i = 0; i < 500; i++)
		if (write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1)
			return 1;
	pthread_mutex_lock(&lock);
	stop = 1;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 48; i++)
		if (pthread_join(others[i], 0))
			return 1;
	return counter != 0;
}

/* Nobody joins them. */
static int detach(void)
{
	sem_init(&all_done, 0, 0);
	for (int i = 0; i < 8; i++) {
		pthread_t other;

		if (pthread_create(&other, 0, count_and_post, 0) || pthread_detach(other))
			return 1;
	}
	for (int i = 0; i < 8; i++)
		sem_wait(&all_done);
	return counter != 8L * 500;
}

/* They lock by an address with a tag, as programs do whose compiler tags what they allocate. */
static void *count_tagged(void *argument)
{
	pthread_mutex_t *tagged = (pthread_mutex_t *)((uintptr_t)&lock | (uintptr_t)0x2a << 56);

	for (int i = 0; i < 500; i++) {
		pthread_mutex_lock(tagged);
		counter++;
		pthread_mutex_unlock(tagged);
	}
	return argument;
}

/* The kernel knows nothing of a process's memory by the number of a first thread that has ended. */
static void *go_on(void *first)
{
	exit(pthread_join(*(pthread_t *)first, 0) || together(count_locked) ||
	     counter != 500L * THREADS);
}

/* Becomes another program, which counts with locks, once the first thread has ended. */
static void *become(void *first)
{
	if (!pthread_join(*(pthread_t *)first, 0))
		execl("/proc/self/exe", "threads", "locks", (char *)0);
	exit(3);
}

/* The first thread ends before all others. Returns only if that fails. */
static int end_first(void *(*run)(void *))
{
	static pthread_t self;
	pthread_t other;

	self = pthread_self();
	if (!pthread_create(&other, 0, run, &self))
		pthread_exit(0);
	return 1;
}

/* More than the model has cores for, all at the same time. */
static int crowd(void)
{
	enum { COUNT = 520 };
	static pthread_t others[COUNT];
	pthread_attr_t small;

	if (pthread_attr_init(&small) || pthread_attr_setstacksize(&small, 1 << 18))
		return 1;
	for (int i = 0; i < COUNT; i++)
		if (pthread_create(&others[i], &small, stand_by, 0))
			return 1;
	pthread_mutex_lock(&lock);
	stop = 1;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < COUNT; i++)
		if (pthread_join(others[i], 0))
			return 1;
	return counter != 0;
}

/* Processes that have memory in common, and wait for each other. */
static int share(void)
{
	long *common =
		mmap(0, sizeof(*common), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child = common == MAP_FAILED ? -1 : fork();

	if (child < 0)
		return 1;
	for (int i = 0; i < 100; i++)
		__atomic_fetch_add(common, 1, __ATOMIC_RELAXED);
	if (child == 0)
		_exit(0);
	return waitpid(child, 0, 0) != child || *common != 200;
}

static int access_proc(void)
{
	int file = open("/proc/self/stat", O_RDONLY);

	return file < 0 || close(file);
}

/* Asks the kernel for what is not the same everywhere, or waits for what has happened. */
static int ask(const char *way)
{
	cpu_set_t set;

	if (!strcmp(way, "event")) {
		__asm__ volatile("sevl\n\twfe" ::: "memory");
		return 0;
	}
	if (!strcmp(way, "number"))
		return gettid() < 1;
	return strcmp(way, "proc") ? sched_getaffinity(0, sizeof(set), &set) : access_proc();
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	pthread_t other;

	if (!strcmp(way, "locks"))
		return together(count_locked) || counter != 500L * THREADS;
	if (!strcmp(way, "tagged"))
		return prctl(PR_SET_TAGGED_ADDR_CTRL, PR_TAGGED_ADDR_ENABLE, 0, 0, 0) ||
		       together(count_tagged) || counter != 500L * THREADS;
	if (!strcmp(way, "leaderless"))
		return end_first(go_on);
	if (!strcmp(way, "becomes"))
		return end_first(become);
	if (!strcmp(way, "crowd"))
		return crowd();
	if (!strcmp(way, "turns"))
		return together(pass_on) || counter != 200;
	if (!strcmp(way, "semaphores"))
		return sem_init(&free_slots, 0, 2) || sem_init(&used_slots, 0, 0) ||
		       together(hand_over) || counter != 100L * THREADS;
	if (!strcmp(way, "relay"))
		return sem_init(&free_slots, 0, 1) || sem_init(&used_slots, 0, 0) ||
		       pthread_create(&other, 0, relay, (void *)1) || relay(0) ||
		       pthread_join(other, 0);
	if (!strcmp(way, "readers"))
		return together(read_mostly) || counter != 25L * THREADS;
	if (!strcmp(way, "barrier"))
		return pthread_barrier_init(&barrier, 0, THREADS) || together(meet) ||
		       counter != 60;
	if (!strcmp(way, "spinning"))
		return pthread_spin_init(&spin_lock, 0) || together(count_spinning) ||
		       counter != 300L * THREADS;
	if (!strcmp(way, "burst"))
		return burst();
	if (!strcmp(way, "bystanders"))
		return bystanders();
	if (!strcmp(way, "detached"))
		return detach();
	if (!strcmp(way, "events"))
		return (ends[0] = eventfd(0, EFD_SEMAPHORE)) < 0 || together(add_events);
	if (!strcmp(way, "share"))
		return share();
	if (!strcmp(way, "sleep"))
		return together(sleep_a_little);
	if (!strcmp(way, "forks"))
		return together(fork_all);
	if (!strcmp(way, "offspring"))
		return together(fork_more) || counter;
	if (!strcmp(way, "come"))
		return come_and_go();
	if (!strcmp(way, "pipe"))
		return pipe(ends) || pthread_create(&other, 0, read_all, 0) || write_some(other);
	if (!strcmp(way, "last")) {
		if (pthread_create(&other, 0, sleep_a_little, 0))
			return 1;
		pthread_exit(0);
	}
	if (!strcmp(way, "number") || !strcmp(way, "proc") || !strcmp(way, "processors") ||
	    !strcmp(way, "event"))
		return pthread_create(&other, 0, count_locked, 0) || ask(way) ||
		       pthread_join(other, 0);
	if (!strcmp(way, "exit") || !strcmp(way, "abort") || !strcmp(way, "fork") ||
	    !strcmp(way, "signal"))
		return pthread_create(&other, 0, spin, 0) || beside(way, other);
	return 2;
}
