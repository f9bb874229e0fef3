/**
 * The typed lint gate: finds what tsc lets through (a floating promise, a missing switch case, a thrown string, a
 * condition that is always true). Format is Biome's, borders are dependency-cruiser's, banned calls are the tidy test's.
 */
import js from '@eslint/js';
import tseslint from 'typescript-eslint';

const namedExports = {
  selector: 'ExportDefaultDeclaration',
  message: 'Named exports only: one name, the same everywhere.',
};
// Constructors have no other form than `private`.
const hashPrivate = {
  selector: ':matches(PropertyDefinition, MethodDefinition[kind!="constructor"])[accessibility="private"]',
  message: 'Private members are written #x.',
};

const sizeLimits = {
  'max-lines': ['error', { max: 400, skipBlankLines: false, skipComments: false }],
  'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
};

export default tseslint.config(
  {
    ignores: [
      'node_modules/',
      'dist/',
      'proto/gen/',
      'loadfleet-results/',
      'test/data/',
      '.cache/',
      '**/*.cjs',
      '**/*.js',
      '**/*.mjs',
    ],
  },
  {
    files: ['**/*.ts'],
    extends: [js.configs.recommended, ...tseslint.configs.strictTypeChecked],
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      ...sizeLimits,
      eqeqeq: 'error',
      // Control characters are looked for on purpose, in what users and servers say.
      'no-control-regex': 'off',
      'no-empty': ['error', { allowEmptyCatch: false }],
      'no-restricted-syntax': ['error', namedExports, hashPrivate],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        // A default does not excuse a missing case: it is there for values from outside the type system (assertNever).
        { considerDefaultExhaustiveForUnions: false, requireDefaultForNonUnion: true },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // Names of a contract stay in its implementations, unused ones with an underscore; so do members that are left out of a rest.
      '@typescript-eslint/no-unused-vars': [
        'error',
        {
          argsIgnorePattern: '^_',
          varsIgnorePattern: '^_',
          destructuredArrayIgnorePattern: '^_',
          ignoreRestSiblings: true,
          caughtErrors: 'all',
        },
      ],
      // There are no enums here (erasable syntax), and the rule is the slowest of all.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      // Node makes its sockets by factories (tls.connect), which this rule takes for impostors.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      // A describe block is as long as its table of cases.
      'max-lines': ['error', { max: 800, skipBlankLines: false, skipComments: false }],
      'max-lines-per-function': 'off',
      // Fakes and deliberately wrong input need these; production code does not.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/unbound-method': 'off',
      // vitest's asymmetric matchers (expect.any and the like) are typed any.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-empty-function': 'off',
    },
  },
  {
    // Measured as they are: what runs for every request is not rewritten for the sake of form.
    files: ['agent/client/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', namedExports] },
  },
  {
    // Their loaders ask for a default export.
    files: ['*.config.ts'],
    rules: { 'no-restricted-syntax': 'off' },
  },
);
