import 'reflect-metadata';
import { Controller, type DynamicModule, Module, Post, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { expect, it, onTestFinished } from 'vitest';
import { type NodeRequest, type NodeResponse, toNodeHandler, type WebhookHandler } from '../../src/webhooks/index.ts';
import { deliverTo, RIGHT, wrong } from './delivery.ts';

/**
 * A module with `@Controller('webhook')` and `@Post() receive(@Req() request, @Res() response)`. Its decorators are called
 * by hand: the tests run unbuilt, and decorators are not erasable syntax.
 */
function moduleWith(handler: WebhookHandler): DynamicModule {
  const webhook = toNodeHandler(handler);
  class WebhookController {
    receive(request: NodeRequest, response: NodeResponse): Promise<void> {
      return webhook(request, response);
    }
  }
  const { prototype } = WebhookController;
  const method = Object.getOwnPropertyDescriptor(prototype, 'receive') ?? {};
  Controller('webhook')(WebhookController);
  Post()(prototype, 'receive', method);
  Req()(prototype, 'receive', 0);
  Res()(prototype, 'receive', 1);
  class AppModule {}
  Module({})(AppModule);
  return { module: AppModule, controllers: [WebhookController] };
}

async function started(handler: WebhookHandler, options: { rawBody?: boolean; bodyParser?: boolean }): Promise<number> {
  const app = await NestFactory.create(moduleWith(handler), new ExpressAdapter(), { logger: false, ...options });
  await app.listen(0, '127.0.0.1');
  onTestFinished(() => app.close());
  return app.getHttpServer().address().port;
}

it('Nest: with rawBody', async () => {
  expect(await deliverTo((handler) => started(handler, { rawBody: true }))).toMatchObject(RIGHT);
});

it('Nest: without its body parser', async () => {
  expect(await deliverTo((handler) => started(handler, { bodyParser: false }))).toMatchObject(RIGHT);
});

it('Nest, wrong: as it comes', async () => {
  const line = expect.stringContaining('Nest: change the line to NestFactory.create(AppModule, { rawBody: true }).');
  expect(await deliverTo((handler) => started(handler, {}))).toMatchObject(wrong(line, 'parsed'));
});
