import type { Framework } from '../handle/setup-advice.ts';
import type { LeftOver } from './node-body.ts';
import type { FastifyReplyLike, FastifyRequestLike, KoaContextLike, NodeRequest, NodeResponse } from './node-types.ts';

/** A call of the adapter, whichever framework made it. */
export interface NodeCall {
  readonly request: NodeRequest;
  readonly response: NodeResponse;
  readonly left: LeftOver;
  readonly framework: Framework;
}

/** Tells the frameworks apart by what they pass: (req, res), Fastify's (request, reply) or Koa's (ctx, next). */
export function nodeCall(first: NodeRequest | FastifyRequestLike | KoaContextLike, second: unknown): NodeCall {
  if ('req' in first && 'res' in first && typeof second !== 'object') {
    first.respond = false;
    const parsed = first.request ?? {};
    const body = 'body' in parsed ? parsed.body : undefined;
    const rawBody = 'rawBody' in parsed ? parsed.rawBody : undefined;
    return { request: first.req, response: first.res, left: { body, rawBody }, framework: 'koa' };
  }
  if ('raw' in first) {
    const reply = second as FastifyReplyLike; // Fastify always passes the two together
    reply.hijack();
    // `rawBody` is where the plugin fastify-raw-body leaves the bytes.
    const rawBody = 'rawBody' in first ? first.rawBody : undefined;
    return { request: first.raw, response: reply.raw, left: { body: first.body, rawBody }, framework: 'fastify' };
  }
  const request = first as NodeRequest; // what is left of the union
  const framework = 'app' in first && 'originalUrl' in first ? 'express' : null;
  return {
    request,
    response: second as NodeResponse, // as the call signature says
    left: { body: request.body, rawBody: request.rawBody },
    framework,
  };
}
