/** One kind of chat call, and what makes its reply right. */
export interface Call {
  readonly name: string;
  /** The provider's model, which tells the mock provider how to answer. */
  readonly model: string;
  readonly stream: boolean;
  /** Text that the reply must contain exactly `markers` times. */
  readonly marker: string;
  readonly markers: number;
  /** Text that a complete reply contains; empty when the marker says it all. */
  readonly end: string;
}

/** One JSON reply of about 600 bytes. */
export const chatCall: Call = {
  name: "chat-json",
  model: "bench",
  stream: false,
  marker: "gate-ok",
  markers: 1,
  end: "",
};

/** A streamed reply of `chunks` chunks, `paceMs` apart; 0 sends all in one write. */
export function streamCall(chunks: number, paceMs: number): Call {
  const model = `stream-${chunks}-${paceMs}`;
  return { name: model, model, stream: true, marker: '"content":"gate', markers: chunks, end: "data: [DONE]" };
}

/** The client's question; the same for every system. */
export const prompt = "When does the gate open, and who keeps it? Answer in one sentence.";

/** The body of an OpenAI chat completion. */
export function openAiBody(call: Call): object {
  return {
    model: call.model,
    messages: [{ role: "user", content: prompt }],
    ...(call.stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
}

/** A whole POST request as bytes, ready to be sent over and over on a kept connection. */
export function postRequest(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Buffer {
  const bytes = Buffer.from(JSON.stringify(body));
  const lines = [
    `POST ${path} HTTP/1.1`,
    "host: 127.0.0.1",
    "content-type: application/json",
    `content-length: ${bytes.length}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), bytes]);
}
