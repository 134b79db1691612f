/** Standard input and output, with a word to say when an answer has left this process: only then is mail acknowledged. */
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

export class AnswerTransport extends StdioServerTransport {
  readonly #afterAnswer = new Map<string | number, () => Promise<void>>();

  /** An answer that is never sent, because its client gave up, is never acknowledged either. */
  afterAnswer(requestId: string | number, work: () => Promise<void>): void {
    this.#afterAnswer.set(requestId, work);
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(message);
    if (!("result" in message) || message.id === undefined) return;
    const work = this.#afterAnswer.get(message.id);
    this.#afterAnswer.delete(message.id);
    await work?.();
  }

  forget(requestId: string | number): void {
    this.#afterAnswer.delete(requestId);
  }
}
