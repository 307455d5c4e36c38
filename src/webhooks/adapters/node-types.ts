// Node's request and response as far as they are used, typed by hand: the declarations of this package must not need
// Node's types, and a framework's own request must fit.

/** `http.IncomingMessage`, or the request of Express and Nest, which extends it. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Name and value in turn. Shows repeated headers, which `headers` drops or joins. */
  readonly rawHeaders?: readonly string[] | undefined;
  /** What a body parser of a framework left. */
  readonly body?: unknown;
  /** What Nest, and others, keep on request: the bytes. */
  readonly rawBody?: unknown;
  readonly readableDidRead?: boolean | undefined;
  readonly destroyed?: boolean | undefined;
  readonly complete?: boolean | undefined;
  readonly aborted?: boolean | undefined;
  readonly httpVersionMajor?: number | undefined;
  /** HTTP/2: the stream, and the code with which it was reset; 0 or undefined where it was not. */
  readonly stream?:
    | {
        readonly aborted?: boolean | undefined;
        readonly rstCode?: number | undefined;
        close?(code: number): unknown;
      }
    | undefined;
  on(event: string, listener: (chunk: Uint8Array | string) => void): unknown;
  off(event: string, listener: (chunk: Uint8Array | string) => void): unknown;
  resume(): unknown;
  pause?(): unknown;
  destroy?(): unknown;
}

/** `http.ServerResponse`, or what a framework makes of it. */
export interface NodeResponse {
  statusCode: number;
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  readonly destroyed?: boolean | undefined;
  setHeader(name: string, value: string): unknown;
  end(body: string, done?: () => void): unknown;
}

/** Fastify's request: the real one is `raw`, the parser's result `body`. */
export interface FastifyRequestLike {
  readonly raw: NodeRequest;
  readonly body?: unknown;
}
/** Fastify's reply: `hijack` tells Fastify that the answer is written to `raw`. */
export interface FastifyReplyLike {
  readonly raw: NodeResponse;
  hijack(): unknown;
}

/** Koa's context. `respond = false` tells Koa that the answer is written to `res`. */
export interface KoaContextLike {
  readonly req: NodeRequest;
  readonly res: NodeResponse;
  respond?: boolean | undefined;
  /** Where body parsers leave `body` and `rawBody`. Koa's own declarations know neither. */
  readonly request?: object | undefined;
}
