import 'reflect-metadata';
import { Body, Controller, Delete, Get, Module, Post, Put, StandardSchemaValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ApiWebhook, DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { z } from 'zod/v4';
import { made, SECRET, seen, TEXT, type Program } from './program.js';

const Note = z.object({ text: z.string().min(1) });

@Controller()
class Notes {
  @Get('note/:id')
  get() {
    return { text: TEXT };
  }

  @Put('note/:id')
  update(@Body({ schema: Note }) _note: z.infer<typeof Note>) {}

  // The compiler does not compare the type of the parameter with the schema.
  @Post('note')
  create(@Body({ schema: Note }) note: { readonly text: string; readonly other: number }) {
    made.push(note.text);
  }

  @Post('any')
  any(@Body() body: unknown) {
    seen.push(body);
  }

  @Post('note-created')
  @ApiWebhook('note.created')
  noteCreated(@Body({ schema: Note }) _note: z.infer<typeof Note>) {}

  @Delete('session')
  signOut() {}

  @Get('fail')
  fail() {
    throw new Error(SECRET);
  }
}

@Module({ controllers: [Notes] })
class Application {}

export const program: Program = {
  typed: 'no',
  async start() {
    const app = await NestFactory.create(Application);
    app.useGlobalPipes(new StandardSchemaValidationPipe());
    await app.listen(0, '127.0.0.1');
    return { url: await app.getUrl(), close: () => app.close() };
  },
  document: {
    named: '@nestjs/swagger',
    make: async () => SwaggerModule.createDocument(await NestFactory.create(Application), new DocumentBuilder().setOpenAPIVersion('3.1.0').build()),
  },
};
