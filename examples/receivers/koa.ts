import Koa from 'koa';
import { toNodeHandler } from 'merchant-invoicing/webhooks';
import { handler } from './handler.ts';

const webhook = toNodeHandler(handler);
const app = new Koa();
// above any body parser
app.use((ctx, next) => (ctx.path === '/webhook' ? webhook(ctx, next) : next()));
app.listen(Number(process.env['PORT'] ?? 3000), () => console.log('up'));
