/**
 * A model that does what it is told. It answers harnesses on loopback, each in the wire that its request's path belongs
 * to, and remembers nothing: what it answers follows from the request.
 */
import type { Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ModelStep, ModelTurn } from "../../prove/rules/script.ts";
import { eventText, type RequestBody, type Wire } from "../../prove/rules/wires/wire.ts";

export interface ModelRequest {
  readonly wire: Wire;
  readonly turns: readonly ModelTurn[];
  readonly body: RequestBody;
  /** The whole request as it came: everything that the model is shown. */
  readonly text: string;
}

/** A status makes the request fail. */
export type ModelAnswer = ModelStep | { readonly status: number };

export interface ScriptedModel {
  readonly url: string;
  close(): void;
}

export async function startScriptedModel(
  wires: readonly Wire[],
  answer: (request: ModelRequest) => Promise<ModelAnswer> | ModelAnswer,
): Promise<ScriptedModel> {
  let answers = 0;
  const server = process.getBuiltinModule("node:http").createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => void respondTo(request.url ?? "/", Buffer.concat(chunks).toString(), response));
  });
  const respondTo = async (url: string, text: string, response: ServerResponse) => {
    const { pathname: path } = new URL(url, "http://model");
    const wire = wires.find((known) => known.path.test(path));
    const asked = wire && readRequest(wire, text);
    if (!asked) return void response.writeHead(404).end();
    answers += 1;
    respond(response, path, asked, await answer(asked), `${process.pid}_${answers}`);
  };
  await listening(server);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function readRequest(wire: Wire, text: string): ModelRequest | null {
  try {
    const body = JSON.parse(text) as RequestBody;
    return { wire, turns: wire.turnsOf(body), body, text };
  } catch {
    // No harness sends this. It gets the answer of an unknown path.
    return null;
  }
}

function respond(response: ServerResponse, path: string, asked: ModelRequest, answer: ModelAnswer, id: string): void {
  const asJson = { "content-type": "application/json" };
  if ("status" in answer) {
    const error = { type: "invalid_request_error", message: "the script says so", code: answer.status };
    response.writeHead(answer.status, asJson).end(JSON.stringify({ error }));
    return;
  }
  const events = asked.wire.eventsOf({ model: String(asked.body["model"]), step: answer, id });
  if (asked.wire.wholePath?.test(path)) {
    response.writeHead(200, asJson).end(JSON.stringify(events[0]?.[1]));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) response.write(eventText(event));
  response.end();
}

function listening(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
}
