/** tt start: starts a harness with our tools and hooks for one run. */
import { Fault } from "../../../../core/fault.ts";
import { isRefusal } from "../../../../core/refusal.ts";
import { HARNESSES } from "../../../../harness/harnesses.ts";
import type { StartPlan } from "../../../../install/start-harness.ts";
import { visible } from "../../../words/wrap.ts";
import type { Command } from "../../command.ts";
import type { CliContext } from "../../context.ts";
import { UsageError } from "../../usage-error.ts";

/** What main wires. */
export type RunHarness = (
  run: Omit<StartPlan, "missing"> & { readonly directory: string; readonly hasTerminal: boolean },
) => Promise<{ readonly code: number; readonly problem: string | null }>;

/** Nothing was started. Commands that run others leave the codes below it to those. */
const FAILED = 125;

const NAMES = HARNESSES.map(({ name }) => name);

export const startCommand = (run: RunHarness): Command => ({
  name: "start",
  roomless: true,
  summary: "start an agent with our tools and hooks, for this one run",
  details: [
    `Starts ${NAMES.join(", ")} as you would without tt, and passes on every word after its name.`,
    "Its files stay as they are: it gets what tt install has not set up by flags and variables. A line says what it lacks.",
    "Ends with its exit code; 125 if tt failed, 126 if it is not executable, 127 if it is not found.",
  ],
  example: "tt start claude --continue",
  positionals: [
    { name: "harness", required: true },
    { name: "words", rest: true, untouched: true },
  ],
  async run(context, args) {
    const name = args.required("harness");
    if (!NAMES.includes(name)) {
      throw new UsageError(`tt cannot start ${JSON.stringify(name)}.`, `Name ${NAMES.join(", ")}.`);
    }
    const plan = await planOrNull(context, name, args.rest);
    if (plan === null) return FAILED;
    const { missing, ...started } = plan;
    const tell = (text: string) => context.ports.writeError(`tt start: ${visible(text)}\n`);
    if (missing.length > 0) await tell(missing.join(" "));
    const { input, output, errors } = context.ports.terminal;
    const { code, problem } = await run({
      ...started,
      directory: context.path,
      hasTerminal: input || output || errors,
    });
    if (problem !== null) await tell(problem);
    return code;
  },
});

/** Null if tt failed, which it has told then. */
async function planOrNull(context: CliContext, name: string, words: readonly string[]): Promise<StartPlan | null> {
  try {
    const installer = await context.ports.installer("change");
    const plan = isRefusal(installer) ? installer : installer.start(name, words);
    if (!isRefusal(plan)) return plan;
    await context.refuse(plan);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    await context.ports.writeError(`tt start: ${visible(`${error.message} ${error.next}`)}\n`);
  }
  return null;
}
