/** The benchmarks' side of a worker process: it is asked by name, one thing at a time. */
import { type Bundle, startFixture } from "../test/support/fixture.ts";
import { failureOf } from "./yardstick.ts";

type AnyFunction = (order: never) => Promise<unknown>;

export interface Worker<Program> {
  readonly pid: number;
  ask<Name extends keyof Program & string>(
    name: Name,
    order: Program[Name] extends (order: infer Order) => unknown ? Order : never,
  ): Promise<Program[Name] extends AnyFunction ? Awaited<ReturnType<Program[Name]>> : never>;
  end(): Promise<void>;
}

export function startWorker<Program>(
  name: string,
  bundle: Bundle,
  env: Readonly<Record<string, string | undefined>>,
): Worker<Program> {
  const running = startFixture(bundle, [], { env });
  const answers = running.lines();
  return {
    pid: running.pid,
    async ask(what, order) {
      running.send({ what, order });
      const { done, value } = await answers.next();
      if (!done) return value as never;
      const { code, signal, stderr } = await running.ended;
      throw failureOf(name, `the worker ${name} ended with ${signal ?? code} when asked to ${what}:\n${stderr}`);
    },
    async end() {
      // A waiting worker has no end of its own, and nothing that it holds is worth a farewell.
      running.child.kill("SIGKILL");
      await running.ended;
    },
  };
}
