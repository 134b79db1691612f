/** The worker's side: reads one order per line, and prints each answer as one line. */
import { createInterface } from "node:readline";

export type Program = Readonly<Record<string, (order: never) => Promise<unknown>>>;

interface Question {
  readonly what: string;
  readonly order: never;
}

export function serve(program: Program): void {
  answerAll(program).then(
    () => process.exit(0),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
}

async function answerAll(program: Program): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    const { what, order } = JSON.parse(line) as Question;
    const answer = await program[what]?.(order);
    process.stdout.write(`${JSON.stringify(answer ?? null)}\n`);
  }
}
