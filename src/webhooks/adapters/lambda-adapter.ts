import type { WebhookHandler } from '../handle/handler-options.ts';
import type { WebhookReply } from '../handle/replies.ts';
import { type LambdaCall, lambdaCall } from './lambda-request.ts';
import type { LambdaEvent, LambdaReply } from './lambda-types.ts';

/**
 * The handler as a Lambda function: `export const handler = toLambdaHandler(webhook)`, behind API Gateway v1 or v2, a
 * function URL, or an Application Load Balancer. Never throws: an event of any other kind (a queue, a test click in
 * the console) is answered 500 and reported as `setup`.
 *
 * Give the function a time limit above the handler's `timeout`: Lambda's default of 3 seconds would kill it first.
 */
export function toLambdaHandler(handler: WebhookHandler): (event: LambdaEvent) => Promise<LambdaReply> {
  return async (event) => {
    const { request, balancer } = lambdaCall(event);
    return replyTo(balancer, await handler.handle(request));
  };
}

function replyTo(balancer: LambdaCall['balancer'], { status, headers, body }: WebhookReply): LambdaReply {
  const start = { statusCode: status, body, isBase64Encoded: false } as const;
  if (balancer === null) return { ...start, headers: { ...headers } };
  const statusDescription = `${status} ${PHRASES[status] ?? 'Unknown'}`;
  if (balancer === 'single') return { ...start, statusDescription, headers: { ...headers } };
  const multiValueHeaders: Record<string, string[]> = {};
  for (const [name, value] of Object.entries(headers)) multiValueHeaders[name] = [value];
  return { ...start, statusDescription, multiValueHeaders };
}

const PHRASES: Readonly<Record<number, string>> = {
  200: 'OK',
  400: 'Bad Request',
  401: 'Unauthorized',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};
