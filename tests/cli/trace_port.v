// A core whose trace port has names of its own, four trace pins and a serial pin: what they have is
// the loop of lib.sh and its N-Trace.  waves.sh runs it in Icarus Verilog.
`timescale 1ns/1ps
module core(input clk);
	reg commit_valid = 0;
	reg [31:0] commit_pc = 0, commit_insn = 0;
	reg [31:0] pcs [0:7], insns [0:7];
	integer n = 0;
	wire \valid! = commit_valid; // escaped names
	wire [31:0] \pc[0] = commit_pc, \insn.q = commit_insn;
	wire [0:1] both = { commit_valid, 1'b0 }; // its first bit is on the left
	initial begin
		pcs[0] = 32'h1000; insns[0] = 32'h4509;
		pcs[1] = 32'h1002; insns[1] = 32'h157d;
		pcs[2] = 32'h1004; insns[2] = 32'hfd7d;
		pcs[3] = 32'h1002; insns[3] = 32'h157d;
		pcs[4] = 32'h1004; insns[4] = 32'hfd7d;
		pcs[5] = 32'h1006; insns[5] = 32'h008000ef;
		pcs[6] = 32'h100e; insns[6] = 32'h8082;
		pcs[7] = 32'h100a; insns[7] = 32'h00150513;
	end
	always @(posedge clk) begin // every third cycle is a stall
		commit_valid <= n % 3 != 2 && n / 3 * 2 + n % 3 < 8;
		commit_pc <= n % 3 == 2 ? 32'hx : pcs[n / 3 * 2 + n % 3];
		commit_insn <= n % 3 == 2 ? 32'hx : insns[n / 3 * 2 + n % 3];
		n <= n + 1;
	end
endmodule

module tb;
	reg clk = 0, trc_clk = 0, swt = 1;
	reg [3:0] trc_data = 15;
	reg [7:0] trace [0:11];
	integer i, k;
	core core(clk);
	initial begin
				$dumpvars(0, tb);
		repeat (40) #5 clk = !clk;
	end
	initial begin // idle, then the bytes, the low half first, at both edges
		$readmemh("bytes", trace);
		repeat (8) begin #2 trc_data = 15; #2 trc_clk = !trc_clk; end
		for (i = 0; i < 12; i = i + 1)
			for (k = 0; k < 8; k = k + 4) begin
				#2 trc_data = trace[i] >> k;
				#2 trc_clk = !trc_clk;
			end
		repeat (8) begin #2 trc_data = 15; #2 trc_clk = !trc_clk; end
	end
	integer u, b;
	initial begin // one pin, 8 ns a bit
		#80;
		for (u = 0; u < 12; u = u + 1) begin
			swt = 0; #8;
			for (b = 0; b < 8; b = b + 1) begin swt = trace[u] >> b; #8; end
			swt = 1; #8;
		end
		#200 $finish;
	end
endmodule
