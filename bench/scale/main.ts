/** A team at work on several machines over one PostgreSQL, counted and held to account: `npm run scale`. */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { canMakeHosts } from "../../test/support/host-network.ts";
import { load } from "../document.ts";
import { documentOf } from "./document.ts";
import { brokenPromises, failuresOf, tableOf } from "./report.ts";
import { type Plan, runAtScale } from "./run.ts";

const HELP = `Usage: npm run scale -- [--agents N] [--machines N] [--pace N] [--minutes N] [--push N,N] [--seed N] [--quick] [--write]

Agents work on machines of their own (namespaces of this one) over one PostgreSQL: turns, messages, questions, deaths and
returns. At the end all that they were told is held against what the store has. Ends with 1 if a promise was broken.

  --agents N    how many (100)
  --machines N  on how many machines (4)
  --pace N      how many times faster than in life (6: an hour in ten minutes)
  --minutes N   for how long (10)
  --push N,N    afterwards, without deaths, a minute at each of these paces (24,48,96; 0 for none)
  --seed N      repeats the same choices
  --quick       12 agents on 2 machines for some seconds: shows that everything works
  --write       writes docs/scale.md

Needs Linux, the rights of root for the machines, and for 100 agents about 10 GB of memory. Without the first two it says
SKIPPED, and ends with 0.
`;

const OPTIONS = {
  agents: { type: "string", default: "100" },
  machines: { type: "string", default: "4" },
  pace: { type: "string", default: "6" },
  minutes: { type: "string", default: "10" },
  push: { type: "string", default: "24,48,96" },
  seed: { type: "string" },
  quick: { type: "boolean", default: false },
  write: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

const DOCUMENT = resolve(import.meta.dirname, "../../docs/scale.md");
const PUSH_MINUTES = 1;
const MOST_AGENTS = 1000;
/** Their network has addresses for so many, and for those that return. */
const MOST_MACHINES = 200;
const QUICK = { agents: 12, machines: 2, pace: 30, minutes: 0.35, pushes: [] } as const;

export async function main(args: readonly string[]): Promise<number> {
  const plan = planOf(args);
  if (plan === null) return 0;
  if (typeof plan === "string") {
    console.error(`${plan}\n\n${HELP}`);
    return 2;
  }
  if (!canMakeHosts) {
    process.stderr.write("SKIPPED: the run at scale needs Linux, and the rights to make networks and namespaces\n");
    return 0;
  }
  const [started, loadBefore] = [performance.now(), load()];
  const seconds = () => Math.round((performance.now() - started) / 1000);
  const result = await runAtScale(plan, (text) => console.error(`${seconds()} s: ${text}`));
  const { account, troubled } = result;
  const broken = brokenPromises(result);
  console.log(`\n${tableOf(result)}\n`);
  for (const line of failuresOf(result)) console.log(line);
  console.log(
    `\n${account.turns} turns, ${account.messages} messages (${account.cameAgain} came again), ${troubled.deaths} deaths, ${troubled.returns} returns.`,
  );
  console.log(
    `${account.lost.length} lost, ${account.doubled.length} doubled turns, ${account.wrong.length} that do not fit. Seed ${plan.seed}.`,
  );
  for (const line of broken) console.log(line);
  const command = ["npm run scale", ...(args.length > 0 ? ["--", ...args] : [])].join(" ");
  const { serverVersion } = result;
  if (args.includes("--write")) writeFileSync(DOCUMENT, documentOf(result, { command, loadBefore, serverVersion }));
  return broken.length === 0 ? 0 : 1;
}

/** Null for help, and a sentence for what cannot be. */
function planOf(args: readonly string[]): Plan | string | null {
  try {
    const { values } = parseArgs({ args: [...args], options: OPTIONS });
    if (values.help) {
      console.log(HELP);
      return null;
    }
    const seed =
      values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : wholeNumberOf("seed", values.seed, 0, 2 ** 31);
    if (values.quick && args.length > (values.seed === undefined ? 1 : 3)) return "--quick goes with --seed alone.";
    if (values.quick) return { ...QUICK, pushMinutes: PUSH_MINUTES, seed };
    return {
      agents: wholeNumberOf("agents", values.agents, 2, MOST_AGENTS),
      machines: wholeNumberOf("machines", values.machines, 1, MOST_MACHINES),
      pace: numberOf("pace", values.pace, 0.1),
      minutes: numberOf("minutes", values.minutes, 0.1),
      pushes: values.push === "0" ? [] : values.push.split(",").map((pace) => numberOf("push", pace, 0.1)),
      pushMinutes: PUSH_MINUTES,
      seed,
    };
  } catch (error) {
    return (error as Error).message;
  }
}

function wholeNumberOf(name: string, text: string, least: number, most: number): number {
  const number = numberOf(name, text, least);
  if (Number.isInteger(number) && number <= most) return number;
  throw new Error(`--${name} ${text}: a whole number from ${least} to ${most} is needed.`);
}

function numberOf(name: string, text: string, least: number): number {
  const number = Number(text);
  if (text.trim() === "" || !(number >= least))
    throw new Error(`--${name} ${text}: a number from ${least} on is needed.`);
  return number;
}
