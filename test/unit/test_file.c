/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <plumb/error.h>

#include "base/file.h"
#include "folder.h"

static void write_file(const char *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

static void files_are_read_whole(void **state)
{
	size_t sizes[] = {0, 1, 4095, 65536, 200000};
	char *bytes = malloc(200000), *got;

	(void)state;
	assert_non_null(bytes);
	for (size_t i = 0; i < 200000; i++)
		bytes[i] = (char)(i * 7 / 5);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t size = 12345;

		write_file(bytes, sizes[i]);
		assert_int_equal(file_read(path, 1u << 20, &got, &size), 0);
		assert_int_equal(size, sizes[i]);
		assert_memory_equal(got, bytes, size);
		free(got);
	}
	unlink(path);
	free(bytes);
}

static void the_limit_is_the_last_size_that_is_read(void **state)
{
	char *got;
	size_t size;

	(void)state;
	write_file("12345678", 8);
	assert_int_equal(file_read(path, 8, &got, &size), 0);
	free(got);
	assert_int_equal(file_read(path, 7, &got, &size), PLUMB_ERR_LIMIT);
	assert_null(got);
	unlink(path);
}

static void a_device_without_end_is_not_read_to_it(void **state)
{
	char *got;
	size_t size;

	(void)state;
	assert_int_equal(file_read("/dev/zero", 1000000, &got, &size), PLUMB_ERR_LIMIT);
	assert_null(got);
	assert_int_equal(file_read("/dev/zero", 0, &got, &size), PLUMB_ERR_LIMIT);
	assert_null(got);
}

static void what_cannot_be_read_leaves_its_reason(void **state)
{
	char *got;
	size_t size;

	(void)state;
	assert_int_equal(file_read(path, 10, &got, &size), PLUMB_ERR_IO);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(file_read(folder, 10, &got, &size), PLUMB_ERR_IO);
	assert_int_equal(errno, EISDIR);
	assert_null(got);
}

/* Files in /proc have size 0, whatever they contain. */
static void a_file_that_hides_its_size_is_read(void **state)
{
	size_t size, counted = 0;
	FILE *file;
	char *got;

	(void)state;
	assert_int_equal(file_read("/proc/version", 1u << 20, &got, &size), 0);
	free(got);
	file = fopen("/proc/version", "r");
	assert_non_null(file);
	while (fgetc(file) != EOF)
		counted++;
	fclose(file);
	assert_int_equal(size, counted);
}

/* Writes `*count` bytes into the pipe in pieces, or as many as are wanted. */
static void *feed(void *count)
{
	FILE *pipe = fopen(path, "wb");

	if (!pipe)
		return NULL;
	setvbuf(pipe, NULL, _IONBF, 0);
	for (size_t i = 0; i < *(size_t *)count; i += 1000)
		if (fwrite("0123456789", 1, 10, pipe) != 10 || fprintf(pipe, "%990d", 0) != 990)
			break;
	fclose(pipe);
	return NULL;
}

static void a_pipe_is_read_to_its_end_or_the_limit(void **state)
{
	size_t counts[] = {0, 300000, 5000000};
	void (*was)(int) = signal(SIGPIPE, SIG_IGN);

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		pthread_t writer;
		size_t size;
		char *got;
		int result;

		assert_int_equal(mkfifo(path, 0600), 0);
		pthread_create(&writer, NULL, feed, &counts[i]);
		result = file_read(path, 1000000, &got, &size);
		pthread_join(writer, NULL);
		unlink(path);
		assert_int_equal(result, counts[i] > 1000000 ? PLUMB_ERR_LIMIT : 0);
		if (!result)
			assert_int_equal(size, counts[i]);
		free(got);
	}
	signal(SIGPIPE, was);
}

static void only_files_are_renamed_and_removed(void **state)
{
	char link_path[300], other[300], real[300];
	struct stat status;
	char *end;

	(void)state;
	snprintf(link_path, sizeof(link_path), "%s.link", path);
	snprintf(other, sizeof(other), "%s.other", path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(symlink(path, link_path), 0);
	assert_int_equal(close(open(other, O_WRONLY | O_CREAT, 0600)), 0);
	/* Neither from nor to. */
	assert_int_equal(file_rename(path, "/nonexistent/x"), -1);
	assert_int_equal(errno, EEXIST);
	assert_int_equal(file_rename(other, path), -1);
	assert_int_equal(errno, EEXIST);
	assert_int_equal(file_rename(other, link_path), -1);
	assert_int_equal(errno, EEXIST);
	assert_int_equal(file_remove(path), -1);
	assert_int_equal(file_remove(link_path), -1);
	assert_int_equal(errno, EEXIST);
	assert_int_equal(file_rename(other, folder), -1);
	assert_int_equal(errno, EISDIR);
	assert_false(file_is_replaceable(path) || file_is_replaceable(link_path));
	assert_true(lstat(path, &status) == 0 && S_ISFIFO(status.st_mode));
	assert_true(lstat(link_path, &status) == 0 && S_ISLNK(status.st_mode));
	/* A link leads to what is there, and to what is not yet. */
	end = file_follow(link_path);
	assert_string_equal(end, path);
	free(end);
	unlink(path);
	end = file_follow(link_path);
	assert_string_equal(end, path);
	free(end);
	assert_true(file_is_replaceable(path) && file_is_replaceable(other));
	assert_int_equal(file_rename(other, path), 0);
	assert_int_equal(file_remove(path), 0);
	assert_int_equal(lstat(path, &status), -1);
	unlink(link_path);
	/* Links to descriptors are the system's alone. */
	snprintf(real, sizeof(real), "/proc/self/fd/%d", STDIN_FILENO);
	assert_true(file_is_descriptor(real) && file_is_descriptor("/dev/stdin"));
	assert_int_equal(symlink(real, link_path), 0);
	assert_false(file_is_descriptor(link_path) || file_is_descriptor(path));
	unlink(link_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_read_whole),
		cmocka_unit_test(the_limit_is_the_last_size_that_is_read),
		cmocka_unit_test(a_device_without_end_is_not_read_to_it),
		cmocka_unit_test(what_cannot_be_read_leaves_its_reason),
		cmocka_unit_test(a_file_that_hides_its_size_is_read),
		cmocka_unit_test(a_pipe_is_read_to_its_end_or_the_limit),
		cmocka_unit_test(only_files_are_renamed_and_removed),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
