// The parts of the receiver that the client loads when it first receives a webhook.
export { catchUp } from './catch-up/catch-up.ts';
export { handleRequest } from './handle/handle-request.ts';
export { verifyWebhook } from './verify/verify.ts';
