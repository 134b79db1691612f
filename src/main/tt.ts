import { version } from "../../package.json";
import { Fault } from "../ports/fault.ts";
import { runAgentOfDemo, runDemo } from "./demo.ts";

const HELP = `tt ${version}: one writer at a time, for several coding agents in one directory

Usage: tt demo        two agents, one stick, told in your terminal (nothing is left behind)
       tt --version
       tt --help

Example: tt demo
`;

async function main(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  if (command === undefined || command === "--help" || command === "-h") {
    process.stdout.write(HELP);
    return 0;
  }
  if (command === "--version") {
    process.stdout.write(`${version}\n`);
    return 0;
  }
  if (command === "demo" && rest.length === 0) {
    await runDemo(process.argv[1] ?? "", (line) => process.stdout.write(`${line}\n`));
    return 0;
  }
  if (command === "demo" && rest[0] === "--agent" && rest[1] && rest[2]) {
    await runAgentOfDemo(rest[1], rest[2]);
    return 0;
  }
  process.stderr.write(`tt: I do not know "${args.join(" ")}"\n\n${HELP}`);
  return 2;
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    if (!(error instanceof Fault)) throw error;
    process.stderr.write(`tt: ${error.message}\n    ${error.next}\n`);
    process.exitCode = 70;
  },
);
