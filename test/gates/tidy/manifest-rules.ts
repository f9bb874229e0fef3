/**
 * package.json and its lock file: the same commit installs the same versions everywhere, and installs at all.
 */
import type { ProjectFile } from './project-files.ts';

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

interface LockFile {
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly dependencies?: Readonly<Record<string, string>>;
        readonly optionalDependencies?: Readonly<Record<string, string>>;
      }
    >
  >;
}

const EXACT = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;

/** Versions in package.json that are a range. */
export function versionFaults(files: readonly ProjectFile[]): string[] {
  const text = files.find(({ path }) => path === 'package.json')?.text;
  if (text === undefined) return ['package.json was not found'];
  const { dependencies = {}, devDependencies = {} } = JSON.parse(text) as Manifest;
  return Object.entries({ ...dependencies, ...devDependencies })
    .filter(([, version]) => !EXACT.test(version))
    .map(([name, version]) => `package.json: ${name} ${version} is not an exact version`);
}

/** Where Node looks for `name` from the package at `from` in the lock file: nearest folder first. */
function placesOf(name: string, from: string): string[] {
  const places: string[] = [];
  let folder = from;
  for (;;) {
    places.push(folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`);
    if (folder === '') return places;
    const parent = folder.lastIndexOf('/node_modules/');
    folder = parent === -1 ? '' : folder.slice(0, parent);
  }
}

/**
 * Packages that some package asks for, optional ones too, and that the lock file does not have: `npm ci` refuses such a
 * file, on every machine but the one where it was made.
 */
export function lockFaults(lockText: string): string[] {
  const { packages } = JSON.parse(lockText) as LockFile;
  return Object.entries(packages).flatMap(([from, { dependencies = {}, optionalDependencies = {} }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !placesOf(name, from).some((place) => packages[place] !== undefined))
      .map((name) => `package-lock.json: ${from} asks for ${name}, which is missing: npm ci would refuse`),
  );
}
