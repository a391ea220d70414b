/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of QEMU's TCG plugin interface that the model uses, declared here because Debian's
 * qemu-user ships no header. QEMU numbers the interface; PLUMB_QEMU_API says which to build for:
 *
 *     1   QEMU 6.0 to 8.2   qemu_plugin_insn_data() returns a pointer
 *     2   QEMU 9.0          registers can be read; this QEMU and later ones refuse 1
 *     3   QEMU 9.1 on       qemu_plugin_insn_data() copies
 *
 * Newer versions load plugins built for 3. They also load those built for 2 (their least version,
 * at least up to QEMU 10.0), whose calls of qemu_plugin_insn_data() have other arguments. What
 * later interfaces add is not needed: 4 (QEMU 9.2) reads memory; 5 (QEMU 10.1) writes registers and
 * memory; in 6 (QEMU 11.0) qemu_plugin_read_register() returns a bool.
 */
#ifndef MODEL_QEMU_PLUGIN_H
#define MODEL_QEMU_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef PLUMB_QEMU_API
#define PLUMB_QEMU_API 1
#endif

#define QEMU_EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_register;

/* What QEMU passes to qemu_plugin_install(); only its beginning is used. */
typedef struct qemu_info {
	const char *target_name; /* "aarch64" */
	struct {
		int min;
		int cur;
	} version;
	bool system_emulation;
} qemu_info_t;

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_CB_RW_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };

typedef void qemu_plugin_simple_cb(qemu_plugin_id_t id);
typedef void qemu_plugin_vcpu_simple_cb(qemu_plugin_id_t id, unsigned int vcpu);
typedef void qemu_plugin_udata_cb(qemu_plugin_id_t id, void *user);
typedef void qemu_plugin_vcpu_udata_cb(unsigned int vcpu, void *user);
typedef void qemu_plugin_tb_trans_cb(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void qemu_plugin_mem_cb(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
				void *user);
typedef void qemu_plugin_syscall_cb(qemu_plugin_id_t id, unsigned int vcpu, int64_t number,
				    uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5,
				    uint64_t a6, uint64_t a7, uint64_t a8);
typedef void qemu_plugin_syscall_ret_cb(qemu_plugin_id_t id, unsigned int vcpu, int64_t number,
					int64_t result);

/* What the plugin defines. */
extern QEMU_EXPORT int qemu_plugin_version;
QEMU_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
				    char **argv);

/* What QEMU defines. */
void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb *cb);
void qemu_plugin_register_vcpu_exit_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb *cb);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_udata_cb *cb, void *user);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_tb_trans_cb *cb);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_vcpu_udata_cb *cb,
					  enum qemu_plugin_cb_flags flags, void *user);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    qemu_plugin_vcpu_udata_cb *cb,
					    enum qemu_plugin_cb_flags flags, void *user);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_mem_cb *cb,
				      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw,
				      void *user);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, qemu_plugin_syscall_cb *cb);
void qemu_plugin_register_vcpu_syscall_ret_cb(qemu_plugin_id_t id, qemu_plugin_syscall_ret_cb *cb);
/*
 * Drops all callbacks and translated code once no thread executes any, and calls `done`, which may
 * register callbacks again. QEMU before 10.0 then keeps a lock that new threads wait for.
 */
void qemu_plugin_reset(qemu_plugin_id_t id, qemu_plugin_simple_cb *done);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
void qemu_plugin_outs(const char *text);

#if PLUMB_QEMU_API >= 2
/* GLib's, as far as they can be seen from outside. */
typedef struct {
	uint8_t *data;
	unsigned int len;
} GByteArray;
typedef struct {
	char *data;
	unsigned int len;
} GArray;
typedef struct {
	struct qemu_plugin_register *handle;
	const char *name;
	const char *feature;
} qemu_plugin_reg_descriptor;

GArray *qemu_plugin_get_registers(void);
/* Appends the value to `out`, or nothing. Its result has another type in interface 6: unused. */
void qemu_plugin_read_register(struct qemu_plugin_register *handle, GByteArray *out);
__attribute__((weak)) GByteArray *g_byte_array_new(void);
__attribute__((weak)) GByteArray *g_byte_array_set_size(GByteArray *array, unsigned int size);
__attribute__((weak)) uint8_t *g_byte_array_free(GByteArray *array, int free_data);
__attribute__((weak)) char *g_array_free(GArray *array, int free_data);
#endif

#if PLUMB_QEMU_API >= 3
/* A number per thread, at an offset into what a scoreboard has of each. */
struct qemu_plugin_scoreboard;
typedef struct {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
} qemu_plugin_u64;
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64, QEMU_PLUGIN_INLINE_STORE_U64 };
/* Comparisons with an immediate, unsigned. */
enum qemu_plugin_cond {
	QEMU_PLUGIN_COND_NEVER,
	QEMU_PLUGIN_COND_ALWAYS,
	QEMU_PLUGIN_COND_EQ,
	QEMU_PLUGIN_COND_NE,
	QEMU_PLUGIN_COND_LT,
	QEMU_PLUGIN_COND_LE,
	QEMU_PLUGIN_COND_GT,
	QEMU_PLUGIN_COND_GE
};

struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t element_size);
void qemu_plugin_scoreboard_free(struct qemu_plugin_scoreboard *score);
void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *score, unsigned int vcpu);
void qemu_plugin_register_vcpu_tb_exec_cond_cb(struct qemu_plugin_tb *tb,
					       qemu_plugin_vcpu_udata_cb *cb,
					       enum qemu_plugin_cb_flags flags,
					       enum qemu_plugin_cond cond, qemu_plugin_u64 entry,
					       uint64_t immediate, void *user);
void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *tb,
						       enum qemu_plugin_op op,
						       qemu_plugin_u64 entry, uint64_t immediate);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *out, size_t size);
#else
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
#endif

/* The instruction word, whichever interface this is. */
static inline uint32_t qemu_plugin_insn_word(const struct qemu_plugin_insn *insn)
{
	uint32_t word = 0;

#if PLUMB_QEMU_API >= 3
	qemu_plugin_insn_data(insn, &word, sizeof(word));
#else
	__builtin_memcpy(&word, qemu_plugin_insn_data(insn), sizeof(word));
#endif
	return word;
}

#endif
