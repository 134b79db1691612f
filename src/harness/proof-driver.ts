/**
 * What differs between harnesses when `tt doctor --prove` drives them: settings that lead to the scripted model, the
 * tools that write, and how a session is started without a terminal.
 */
import type { Conversation } from "../platform/process/conversation.ts";
import type { ModelStep } from "../prove/rules/script.ts";
import type { Wire } from "../prove/rules/wires/wire.ts";

/** A throwaway user with one project. */
export interface ProofPlace {
  readonly home: string;
  readonly tree: string;
  readonly modelUrl: string;
}

/** Starts the harness's program with these words and these variables besides those of every run. */
export type StartProgram = (words: readonly string[], env: Readonly<Record<string, string>>) => Conversation;

export interface ProofSession {
  /** Resolves when the turn is over, and rejects if the program ends before. */
  prompt(text: string): Promise<void>;
}

export interface ProofDriver {
  readonly wire: Wire;
  /**
   * The settings of a user who does not know us yet, by their path below HOME: the scripted model, permissions, and
   * answers to the questions of a first start. Nothing in them may make the harness fetch anything.
   */
  files(place: ProofPlace): Readonly<Record<string, string>>;
  /** Its edit tool writes this file. */
  edit(path: string): ModelStep;
  /** A command in its shell. */
  shell(command: string): ModelStep;
  /** Why an idle session cannot be woken without a terminal. */
  readonly noWake?: string;
  start(place: ProofPlace, start: StartProgram): Promise<ProofSession>;
}
