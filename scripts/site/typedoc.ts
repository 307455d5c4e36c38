import { join } from 'node:path';
import {
  Application,
  type Context,
  Converter,
  type DeclarationReflection,
  DocumentReflection,
  KindRouter,
  MinimalSourceFile,
  normalizePath,
  PageEvent,
  type Reflection,
  ReflectionKind,
  TSConfigReader,
  TypeDocReader,
} from 'typedoc';
import { ROOT, readEntries } from '../build/entries.ts';
import type { SitePage } from './pages.ts';

/** Setup files of test runners: they export nothing. */
const SILENT = /^testing\/(?!index$)/;

export interface HtmlSite {
  readonly folder: string;
  /** Of the package. */
  readonly name: string;
  readonly pages: readonly SitePage[];
  /** The address of a source, with `{path}` and `{line}`. Null if the repository has no address. */
  readonly sources: string | null;
}

/** Writes the API reference and the pages as HTML. Throws if typedoc has an error or a warning. */
export async function writeHtml({ folder, name, pages, sources }: HtmlSite): Promise<void> {
  const entries = readEntries().filter((entry) => !SILENT.test(entry.source));
  const app = await Application.bootstrap(
    {
      options: join(ROOT, 'typedoc.json'),
      entryPoints: entries.map(({ source }) => join(ROOT, 'src', `${source}.ts`)),
      ...(sources === null ? { disableSources: true } : { sourceLinkTemplate: sources }),
    },
    [new TypeDocReader(), new TSConfigReader()],
  );
  const paths = new Map<unknown, string>();
  app.converter.on(Converter.EVENT_BEGIN, (context: Context) => {
    for (const page of pages) paths.set(addPage(app, context, page), page.path);
  });
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (_: Context, reflection: DeclarationReflection) => {
    if (!reflection.kindOf(ReflectionKind.Module)) return;
    const entry = entries.find(({ source }) => source.replace(/\/index$/, '') === reflection.name);
    reflection.name = entry === undefined || entry.name === 'index' ? name : `${name}/${entry.name}`;
  });
  app.renderer.defineRouter(
    'paths',
    class extends KindRouter {
      protected override getIdealBaseName(target: Reflection): string {
        return paths.get(target)?.replace(/\.\w+$/, '') ?? super.getIdealBaseName(target);
      }
    },
  );
  // Landmarks, so that a screen reader can skip the menus.
  app.renderer.on(PageEvent.END, (page: PageEvent) => {
    if (page.contents === undefined) return;
    page.contents = page.contents
      .replace('<div class="col-content">', '<div class="col-content" role="main">')
      .replace('<div class="page-menu">', '<div class="page-menu" role="navigation" aria-label="On this page">');
  });
  const project = await app.convert();
  if (project === undefined) throw new Error('typedoc could not read the sources');
  app.validate(project);
  if (!app.logger.hasErrors() && !app.logger.hasWarnings()) await app.generateDocs(project, folder);
  if (app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error('typedoc has errors or warnings, see above');
}

function addPage(app: Application, { project }: Context, { path, title, group, text }: SitePage): DocumentReflection {
  const file = normalizePath(join(ROOT, path));
  const { content } = app.converter.parseRawComment(new MinimalSourceFile(text, file), project.files);
  const page = new DocumentReflection(title, project, content, { group });
  project.addChild(page);
  project.registerReflection(page, undefined, file);
  return page;
}
