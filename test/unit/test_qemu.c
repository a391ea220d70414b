/* SPDX-License-Identifier: Apache-2.0 */
/* Which engine is used, and what is said about the others: scripts stand in for QEMU. */
#include "source/model/qemu.h"

#include "check.h"
#include "folder.h"

#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

/* Scripts that answer to --version and --help. */
#define ANSWERS(version, help) \
	"case $1 in --version) echo '" version "' ;; --help) echo '" help "' ;; esac"
#define PLUGINS "-plugin              QEMU_PLUGIN  [file=]<file>"

static char made[12][64]; /* paths of what a test made */
static size_t made_count;

static const char *make(const char *name, const char *text, mode_t mode)
{
	char *at = made[made_count++];
	FILE *file;

	snprintf(at, sizeof(made[0]), "%s/%s", folder, name);
	file = fopen(at, "w");
	assert_non_null(file);
	fprintf(file, "%s\n", text);
	fclose(file);
	assert_int_equal(chmod(at, mode), 0);
	return at;
}

static const char *engine(const char *name, const char *script)
{
	char text[1024];

	snprintf(text, sizeof(text), "#!/bin/sh\n%s", script);
	return make(name, text, 0755);
}

static int remove_made(void **state)
{
	(void)state;
	while (made_count)
		unlink(made[--made_count]);
	return 0;
}

/* What the callback received, one letter each: + used, - refused. */
static char told[32];

static void on_engine(void *user, const struct plumb_model_engine *one)
{
	assert_ptr_equal(user, told);
	assert_non_null(one->path);
	assert_non_null(one->version);
	strcat(told, one->refusal ? "-" : "+");
}

/* A Debian 12, where the distribution's engine may be `packaged`. */
static struct qemu_system twelve;

static int make_twelve(void **state)
{
	(void)state;
	twelve.os_release = make("os-release", "ID=debian\nVERSION_ID=\"12\"", 0644);
	twelve.packaged = "/nonexistent/qemu-aarch64";
	return 0;
}

/* Chooses among these, whose plugins are in `folder`. */
static int choose(struct qemu *qemu, struct plumb_diagnostics *diagnostics, const char *first,
		  const char *second)
{
	const char *const engines[] = {first, second, NULL};
	const struct plumb_model_options options = {
		.engines = engines, .plugin_dir = folder, .engine = on_engine, .user = told};

	told[0] = '\0';
	return qemu_choose(&twelve, &options, qemu, diagnostics);
}

/* The refusal of the only engine there is. */
static void assert_refused(const char *script, int error, const char *id, const char *message)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	const char *only = engine("only", script);
	struct qemu qemu;

	assert_int_equal(choose(&qemu, diagnostics, only, NULL), error);
	assert_int_equal(plumb_diagnostics_count(diagnostics), 1);
	assert_string_equal(plumb_diagnostics_get(diagnostics, 0)->id, id);
	assert_string_equal(plumb_diagnostics_get(diagnostics, 0)->file, only);
	assert_non_null(strstr(plumb_diagnostics_get(diagnostics, 0)->message, message));
	assert_non_null(plumb_diagnostics_get(diagnostics, 0)->hint);
	assert_string_equal(told, ""); /* the finding does */
	plumb_diagnostics_free(diagnostics);
	unlink(only);
	made_count--;
}

static void test_first_that_can(void **state)
{
	const char *old = engine("old", ANSWERS("qemu-aarch64 version 5.2.0", PLUGINS));
	const char *plain = engine("plain", ANSWERS("qemu-aarch64 version 10.0.2 (x)", "none"));
	const char *seven =
		engine("seven", ANSWERS("qemu-aarch64 version 7.2.22 (Debian 1:7.2+x)", PLUGINS));
	const char *ten = engine("ten", ANSWERS("qemu-aarch64 version 10.0.2", PLUGINS));
	struct qemu qemu;

	(void)state;
	make("plumb-model-1.so", "", 0644);
	make("plumb-model-3.so", "", 0644);
	assert_int_equal(choose(&qemu, NULL, seven, ten), 0);
	assert_string_equal(told, "+");
	assert_string_equal(qemu.path, seven);
	assert_string_equal(qemu.version, "7.2.22 (Debian 1:7.2+x)");
	assert_int_equal(qemu.major, 7);
	assert_int_equal(qemu.minor, 2);
	assert_string_equal(strrchr(qemu.plugin, '/'), "/plumb-model-1.so");
	assert_null(qemu.reserve); /* it would not start with that */
	assert_int_equal(choose(&qemu, NULL, plain, ten), 0);
	assert_string_equal(told, "-+");
	assert_string_equal(qemu.path, ten);
	assert_string_equal(strrchr(qemu.plugin, '/'), "/plumb-model-3.so");
	assert_int_equal(choose(&qemu, NULL, old, seven), 0);
	assert_string_equal(told, "-+");
	assert_string_equal(qemu.path, seven);
}

/* If none can, it is the first, which Plumb would rather have, that is complained of. */
static void test_none_that_can(void **state)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	const char *old = engine("old", ANSWERS("qemu-aarch64 version 5.2.0", PLUGINS));
	const char *plain = engine("plain", ANSWERS("qemu-aarch64 version 10.0.2 (x)", "none"));
	struct qemu qemu;

	(void)state;
	assert_int_equal(choose(&qemu, diagnostics, plain, old), PLUMB_ERR_MACHINE);
	assert_string_equal(told, "-");
	assert_int_equal(plumb_diagnostics_count(diagnostics), 1);
	assert_string_equal(plumb_diagnostics_get(diagnostics, 0)->id, "no-plugins");
	plumb_diagnostics_free(diagnostics);
	diagnostics = plumb_diagnostics_new();
	assert_int_equal(choose(&qemu, diagnostics, NULL, NULL), PLUMB_ERR_MACHINE);
	assert_int_equal(plumb_diagnostics_count(diagnostics), 1);
	assert_string_equal(plumb_diagnostics_get(diagnostics, 0)->id, "no-qemu");
	assert_non_null(plumb_diagnostics_get(diagnostics, 0)->hint);
	plumb_diagnostics_free(diagnostics);
}

/* The hint after these were refused on that Debian 12. */
static void assert_hint(const char *first, const char *second, const char *remedy, const char *text)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	const struct plumb_diagnostic *only;
	struct qemu qemu;

	assert_int_equal(choose(&qemu, diagnostics, first, second), PLUMB_ERR_MACHINE);
	assert_int_equal(plumb_diagnostics_count(diagnostics), 1);
	only = plumb_diagnostics_get(diagnostics, 0);
	assert_string_equal(only->hint, text);
	if (remedy) {
		assert_string_equal(only->remedy, remedy);
		assert_string_equal(only->subject, twelve.packaged);
	} else {
		assert_null(only->remedy);
	}
	plumb_diagnostics_free(diagnostics);
}

/* The distribution's engine is proposed only if it works, and never if it was just refused. */
static void test_hint_of_packaged(void **state)
{
	static const char install[] = "run apt-get install qemu-user";
	static const char reinstall[] = "run apt-get install --reinstall qemu-user";
	const char *seven = engine("seven", ANSWERS("qemu-aarch64 version 7.2.22", PLUGINS));
	const char *broken = engine("broken", "exit 127");
	const char *plain = engine("plain", ANSWERS("qemu-aarch64 version 7.2.22", "none"));
	const char *other = engine("other", "exit 1");
	const char *shut = make("shut", "", 0644);
	char use[128], link_to[sizeof(folder) + 8];

	(void)state;
	assert_hint(other, NULL, NULL, install);
	assert_hint(NULL, NULL, NULL, install);
	twelve.packaged = seven;
	snprintf(use, sizeof(use), "use %s", seven);
	assert_hint(other, NULL, "use-engine", use);
	assert_hint(NULL, NULL, "use-engine", use);
	twelve.packaged = broken;
	assert_hint(broken, NULL, NULL, reinstall);
	assert_hint(other, broken, NULL, reinstall);
	assert_hint(other, NULL, NULL, reinstall);
	twelve.packaged = plain;
	assert_hint(plain, NULL, NULL, reinstall);
	assert_hint(other, NULL, NULL, reinstall);
	twelve.packaged = shut;
	assert_hint(other, NULL, NULL, reinstall);
	/* By another path, as of /bin where that is a link to /usr/bin. */
	snprintf(link_to, sizeof(link_to), "%s/link", folder);
	assert_int_equal(symlink(broken, link_to), 0);
	twelve.packaged = broken;
	assert_hint(link_to, NULL, NULL, reinstall);
	unlink(link_to);
}

static void test_refusals(void **state)
{
	(void)state;
	assert_refused("exit 0", PLUMB_ERR_MACHINE, "not-qemu", "not qemu-aarch64");
	assert_refused("echo qemu-x86_64 version 10.0.2", PLUMB_ERR_MACHINE, "not-qemu",
		       "not qemu-aarch64");
	assert_refused("echo qemu-aarch64 version ten", PLUMB_ERR_MACHINE, "not-qemu",
		       "not qemu-aarch64");
	assert_refused("echo qemu-aarch64 version 10.", PLUMB_ERR_MACHINE, "not-qemu",
		       "not qemu-aarch64");
	assert_refused("exec yes", PLUMB_ERR_MACHINE, "not-qemu", "not qemu-aarch64");
	assert_refused(ANSWERS("qemu-aarch64 version 5.2.0", PLUGINS), PLUMB_ERR_MACHINE,
		       "old-qemu", "QEMU 5.2 is too old: the model requires 6.0");
	assert_refused(ANSWERS("qemu-aarch64 version 10.0.2", "-plug FILE"), PLUMB_ERR_MACHINE,
		       "no-plugins", "QEMU 10.0 does not support plugins");
	assert_refused("echo 'error while loading shared libraries: libglib' >&2; exit 127",
		       PLUMB_ERR_MACHINE, "no-qemu",
		       "cannot start QEMU: status 127, error while loading shared libraries");
	assert_refused("echo 'libz.so.1: failed to map segment from shared object' >&2; exit 127",
		       PLUMB_ERR_BUSY, "no-qemu", "status 127, libz.so.1: failed to map segment");
	assert_refused("kill -SEGV $$", PLUMB_ERR_MACHINE, "no-qemu", "signal 11 ended it");
}

/* It is as good as before: nothing to install again, nor another to use. */
static void test_killed(void **state)
{
	static const char *const signals[] = {"kill -KILL $$", "kill -XCPU $$"};

	(void)state;
	twelve.packaged = engine("seven", ANSWERS("qemu-aarch64 version 7.2.22", PLUGINS));
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
		const struct plumb_diagnostic *only;
		struct qemu qemu;

		assert_int_equal(choose(&qemu, diagnostics, engine("killed", signals[i]), NULL),
				 PLUMB_ERR_BUSY);
		assert_int_equal(plumb_diagnostics_count(diagnostics), 1);
		only = plumb_diagnostics_get(diagnostics, 0);
		assert_string_equal(only->id, "no-qemu");
		assert_null(only->remedy);
		assert_non_null(strstr(only->hint, "(ulimit -t)"));
		plumb_diagnostics_free(diagnostics);
	}
}

/* Its first thread is one too many: nothing to install would help. The limit is the hint. */
static void test_no_process_left(void **state)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	const char *full = engine("full", "echo 'qemu: qemu_thread_create: Resource temporarily "
					  "unavailable' >&2; kill -ABRT $$");
	const char *broken = engine("broken", "exit 1");
	const struct plumb_diagnostic *only;
	struct rlimit limit, before;
	struct qemu qemu;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NPROC, &before), 0);
	limit = before;
	if (limit.rlim_max > 1000000)
		limit.rlim_cur = 1000000;
	assert_int_equal(setrlimit(RLIMIT_NPROC, &limit), 0);
	assert_int_equal(choose(&qemu, diagnostics, full, broken), PLUMB_ERR_BUSY);
	assert_int_equal(setrlimit(RLIMIT_NPROC, &before), 0);
	assert_int_equal(plumb_diagnostics_count(diagnostics), 1);
	only = plumb_diagnostics_get(diagnostics, 0);
	assert_string_equal(only->id, "no-process");
	assert_string_equal(only->message, "cannot start QEMU: no process or thread is left");
	if (limit.rlim_cur != RLIM_INFINITY)
		assert_non_null(strstr(only->hint, "(ulimit -u)"));
	plumb_diagnostics_free(diagnostics);
}

/* QEMU 7.2's user-mode emulator makes a copy of vfork()'s child, which then cannot tell why. */
static bool spawn_tells_errors(const char *none)
{
	char *argv[] = {NULL};
	pid_t pid;

	if (posix_spawn(&pid, none, NULL, NULL, argv, environ))
		return true;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return false;
}

static void test_not_started(void **state)
{
	struct plumb_diagnostics *diagnostics;
	const char *shut = make("shut", "", 0644);
	char none[sizeof(folder) + 8];
	struct qemu qemu;

	(void)state;
	snprintf(none, sizeof(none), "%s/none", folder);
	if (!spawn_tells_errors(none))
		skip_because("starting a program that is not there seems to succeed here");
	diagnostics = plumb_diagnostics_new();
	assert_int_equal(choose(&qemu, diagnostics, none, NULL), PLUMB_ERR_MACHINE);
	assert_int_equal(choose(&qemu, diagnostics, shut, NULL), PLUMB_ERR_MACHINE);
	assert_int_equal(plumb_diagnostics_count(diagnostics), 2);
	for (size_t i = 0; i < 2; i++)
		assert_string_equal(plumb_diagnostics_get(diagnostics, i)->id, "no-qemu");
	plumb_diagnostics_free(diagnostics);
}

/* Nobody waits for ever. */
static void test_no_answer(void **state)
{
	const time_t began = time(NULL);

	(void)state;
	assert_refused("exec sleep 60", PLUMB_ERR_MACHINE, "not-qemu", "not answer within 10 s");
	assert_in_range(time(NULL) - began, 8, 40);
}

/* Ctrl-C reaches the one that is asked, too. That says nothing about it. */
static void test_interrupted(void **state)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	const char *ten = engine("ten", ANSWERS("qemu-aarch64 version 10.0.2", PLUGINS));
	struct qemu qemu;

	(void)state;
	assert_int_equal(choose(&qemu, diagnostics, engine("one", "kill -INT $$; sleep 10"), ten),
			 PLUMB_ERR_INTERRUPTED);
	assert_string_equal(told, "");
	assert_int_equal(choose(&qemu, diagnostics,
				engine("two", "case $1 in --help) kill -TERM $$; sleep 10 ;; esac\n"
					      "echo qemu-aarch64 version 10.0.2"),
				ten),
			 PLUMB_ERR_INTERRUPTED);
	assert_int_equal(plumb_diagnostics_count(diagnostics), 0);
	plumb_diagnostics_free(diagnostics);
}

static void test_no_plugin(void **state)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	const char *ten = engine("ten", ANSWERS("qemu-aarch64 version 10.0.2", PLUGINS));
	const char *message;
	struct qemu qemu;

	(void)state;
	assert_int_equal(choose(&qemu, diagnostics, ten, NULL), PLUMB_ERR_MACHINE);
	assert_string_equal(plumb_diagnostics_get(diagnostics, 0)->id, "no-plugin");
	message = plumb_diagnostics_get(diagnostics, 0)->message;
	assert_non_null(strstr(message, "cannot read the model's plugin "));
	assert_non_null(strstr(message, "/plumb-model-3.so: No such file or directory"));
	plumb_diagnostics_free(diagnostics);
}

/* The hint for a system whose os-release reads so, and whose engine is such. */
static const char *hint_if(const char *os_release, enum qemu_packaged packaged)
{
	const char *file = make("os-release", os_release, 0644);
	const char *text = qemu_hint(file, packaged);

	unlink(file);
	made_count--;
	return text;
}

static const char *hint(const char *os_release)
{
	return hint_if(os_release, QEMU_ABSENT);
}

static void test_hints(void **state)
{
	static const char install[] = "run apt-get install qemu-user";
	static const char reinstall[] = "run apt-get install --reinstall qemu-user";
	static const char ubuntu[] = "ID=ubuntu\nID_LIKE=debian\nVERSION_ID=\"24.04\"";

	(void)state;
	assert_string_equal(hint("VERSION_ID=\"12\"\nID=debian"), install);
	/* Debian 11's QEMU is too old, and its Meson to build a newer one. */
	assert_non_null(strstr(hint("ID='debian'\nVERSION_ID='11'"), "README.md"));
	assert_null(strstr(hint("ID=debian\nVERSION_ID=\"13\""), install));
	assert_non_null(strstr(hint("ID=debian\nVERSION_ID=\"13\""), "scripts/build-engine"));
	/* Debian's testing has no version. */
	assert_non_null(strstr(hint("ID=debian"), "scripts/build-engine"));
	assert_non_null(strstr(hint(ubuntu), install));
	assert_non_null(strstr(hint("ID=mint\nID_LIKE=\"ubuntu debian\""), "scripts/build-engine"));
	assert_non_null(strstr(hint("ID=fedora\nVERSION_ID=40"), "README.md"));
	assert_non_null(strstr(hint("ID=x\nID_LIKE=\"undebian rhel\""), "README.md"));
	assert_non_null(strstr(hint(""), "README.md"));
	assert_non_null(strstr(qemu_hint("/nonexistent", QEMU_ABSENT), "README.md"));
	/* Where the package is there, but its engine refused. */
	assert_string_equal(hint_if("VERSION_ID=\"12\"\nID=debian", QEMU_BROKEN), reinstall);
	assert_string_equal(hint_if("VERSION_ID=\"12\"\nID=debian", QEMU_LIMITED), reinstall);
	assert_non_null(strstr(hint_if(ubuntu, QEMU_BROKEN), reinstall));
	assert_null(strstr(hint_if(ubuntu, QEMU_LIMITED), "apt-get"));
	assert_non_null(strstr(hint_if(ubuntu, QEMU_LIMITED), "scripts/build-engine"));
	assert_null(strstr(hint_if("ID=debian\nVERSION_ID=\"13\"", QEMU_BROKEN), "apt-get"));
}

/* Only Debian 12 is known to build a newer one than it has, from the next Debian's source. */
static void test_newer_hints(void **state)
{
	const char *other = make("os-release-13", "ID=debian\nVERSION_ID=\"13\"", 0644);

	(void)state;
	assert_non_null(strstr(qemu_newer_hint(twelve.os_release), "scripts/build-engine trixie"));
	assert_null(qemu_newer_hint(other));
	assert_null(qemu_newer_hint("/nonexistent"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_first_that_can, make_twelve, remove_made),
		cmocka_unit_test_setup_teardown(test_none_that_can, make_twelve, remove_made),
		cmocka_unit_test_setup_teardown(test_hint_of_packaged, make_twelve, remove_made),
		cmocka_unit_test_setup_teardown(test_refusals, make_twelve, remove_made),
		cmocka_unit_test_setup_teardown(test_killed, make_twelve, remove_made),
		cmocka_unit_test_setup_teardown(test_no_process_left, make_twelve, remove_made),
		cmocka_unit_test_setup_teardown(test_not_started, make_twelve, remove_made),
		cmocka_unit_test_setup_teardown(test_no_answer, make_twelve, remove_made),
		cmocka_unit_test_setup_teardown(test_interrupted, make_twelve, remove_made),
		cmocka_unit_test_setup_teardown(test_no_plugin, make_twelve, remove_made),
		cmocka_unit_test_setup_teardown(test_hints, make_twelve, remove_made),
		cmocka_unit_test_setup_teardown(test_newer_hints, make_twelve, remove_made),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
