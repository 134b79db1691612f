/**
 * A scripted agent of the demo: a real process with its own identity and its own connection to the store.
 * It reads one call per line, makes it, and prints one line of JSON with the answer.
 */
import type { TalkingStick } from "../../library/talking-stick.ts";

export interface DemoCall {
  readonly call: keyof TalkingStick;
  readonly input: object;
}

export interface Reply {
  readonly answer: unknown;
  /** On a clock that all processes of the machine share. */
  readonly atMs: number;
}

export interface AgentPorts {
  readonly calls: AsyncIterable<string>;
  readonly monotonicMs: () => number;
  readonly print: (line: string) => void;
}

/** Mail that comes with an answer is confirmed at once. */
interface Answered {
  readonly answer?: object;
  readonly confirm?: () => Promise<unknown>;
}

export async function runDemoAgent(stick: TalkingStick, ports: AgentPorts): Promise<void> {
  for await (const line of ports.calls) {
    const { call, input } = JSON.parse(line) as DemoCall;
    const made: Answered = await (stick[call] as (input: object) => Promise<object>)(input);
    await made.confirm?.();
    const reply: Reply = { answer: made.confirm ? made.answer : made, atMs: ports.monotonicMs() };
    ports.print(JSON.stringify(reply));
  }
}
