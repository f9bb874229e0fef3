/** Prints the table of `bundling.ts`. Usage: node bench/llm/bundling-table.ts [streams (default 20000)] */
import { bundlingTable } from './bundling.ts';

console.log(bundlingTable({ streams: Number(process.argv[2] ?? 20_000), tokens: 200, seed: 1n }));
