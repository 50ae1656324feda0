/* Good values of arguments, by their type (made_hs_source()), or by function and parameter. */
#ifndef HS_TESTS_API_MADE_H
#define HS_TESTS_API_MADE_H

#include "api/api.h"

#define MADE(name) void *made_##name(enum api_state state)

/* Make the folder with the files that calls read, and remove it with all that they wrote. */
void made_begin(void);
void made_end(void);
const char *made_folder(void);

MADE(hs_program);
MADE(hs_source);
MADE(hs_source_options);
MADE(hs_counts);
MADE(hs_counts_options);
MADE(hs_decoder);
MADE(hs_encoder);
MADE(hs_reader);
MADE(hs_lint);
MADE(hs_lint_options);
MADE(hs_messages_options);
MADE(hs_code_view);
MADE(hs_code_search);
MADE(hs_ctr);
MADE(hs_ctr_run);
MADE(hs_ctr_run_options);
MADE(hs_ctr_explain_options);
MADE(hs_diff);
MADE(hs_disasm);
MADE(hs_isa);
MADE(hs_image);
MADE(hs_encode);
MADE(hs_encode_options);
MADE(hs_export);
MADE(hs_export_options);
MADE(hs_flow_writer);
MADE(hs_flow_options);
MADE(hs_follower);
MADE(hs_gdb_server);
MADE(hs_gdb_server_options);
MADE(hs_guest);
MADE(hs_identity);
MADE(hs_identify_options);
MADE(hs_import);
MADE(hs_import_options);
MADE(hs_listing);
MADE(hs_listing_options);
MADE(hs_perf);
MADE(hs_port_rows);
MADE(hs_rec);
MADE(hs_stacks);
MADE(hs_stacks_options);
MADE(hs_tally);
MADE(hs_trace_params);
MADE(hs_trace_params_options);
MADE(hs_range_options);
MADE(hs_protocol);
MADE(hs_block);
MADE(hs_span);
MADE(hs_param);
MADE(hs_message);
MADE(hs_taker);
MADE(hs_coverage_result);
MADE(hs_program_set);
MADE(text_config);
MADE(text_path);
MADE(text_from);
MADE(text_to);
MADE(text_trace);
MADE(hs_perf_open_path);
MADE(hs_port_rows_open_path);
MADE(hs_import_detect_path);
MADE(hs_import_write_path);
MADE(hs_program_add_elf_path);
MADE(hs_program_add_raw_path);
MADE(hs_program_add_symbols_path);
MADE(hs_rec_checker);
MADE(hs_message_count);
MADE(hs_encode_take_e);
MADE(hs_transport_pins_name);
MADE(hs_recorder_find_emulator_name);
MADE(hs_recorder_run_argv);
MADE(hs_recorder_find_file_argv);
MADE(hs_recorder_run_output);

#endif
