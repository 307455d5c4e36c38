// src/api/middlewares.ts
import { defineMiddlewares } from '@medusajs/framework/http';

export default defineMiddlewares({
  routes: [
    {
      matcher: '/webhook',
      methods: ['POST'],
      bodyParser: { preserveRawBody: true }, // the signature covers the bytes
    },
  ],
});
