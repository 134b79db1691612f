/** The program of the commands that agents run all day. Null when the line is for the whole one. */
import { EVERYDAY } from "../surfaces/cli/everyday.ts";
import { runPlainLine } from "../surfaces/cli/run-command.ts";
import { type Ran, runMain } from "./run-main.ts";

export function main(): Promise<Ran | null> {
  return runMain((words, ports) => runPlainLine(words, ports, EVERYDAY));
}
