import { PasswordInput, Select, SimpleGrid, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { fieldMessages } from '../../../api/problem';
import { announce } from '../../../display/announce';
import { FormDialog } from '../../../display/FormDialog';
import { Remove } from '../../../display/Remove';
import { useChange } from '../queries';
import { FORMATS, KINDS, settingsOf, textsOf, TYPES } from './kinds';
import type { EntryFormat, ReceiverType } from './kinds';
import { addIntegration, changeIntegration, removeIntegration, type Integration } from './queries';

const SETTINGS = Object.values(KINDS).flatMap(({ fields }) => fields.map(({ name }) => name));
const MARKED = ['name', 'format', 'query', 'secret', ...SETTINGS.map((name) => `settings.${name}`)];

interface Values {
  name: string;
  type: ReceiverType;
  settings: Record<string, string>;
  secret: string;
  format: EntryFormat;
  query: string;
}

/** A stream to add, or a change of one. The secret goes in and never comes out. */
export function IntegrationForm({
  integration,
  onClose,
}: {
  integration?: Integration;
  onClose: () => void;
}) {
  const add = useChange(addIntegration);
  const patch = useChange(changeIntegration);
  const change = integration ? patch : add;
  const form = useForm<Values>({
    initialValues: {
      name: integration?.name ?? '',
      type: integration?.type ?? 'splunk_hec',
      settings: textsOf(integration?.settings ?? {}),
      secret: '',
      format: integration?.format ?? 'json',
      query: integration?.query ?? '',
    },
    validate: { name: (value) => (value.trim() === '' ? 'Enter a name' : null) },
  });
  const kind = KINDS[form.values.type];
  const choose = (type: ReceiverType) => {
    const [format] = KINDS[type].formats;
    form.setValues({ type, ...(format && { format }) });
  };
  const submit = form.onSubmit(({ type, settings, secret, ...values }) => {
    const shared = {
      ...values,
      // What the form has no field for stays as it is.
      settings: { ...(integration && keptOf(integration)), ...settingsOf(type, settings) },
      secret: secret.trim() || undefined,
    };
    const then = {
      onSuccess: () => {
        announce(integration ? 'Stream changed' : 'Stream added');
        onClose();
      },
      onError: (error: Error) => form.setErrors(fieldMessages(error)),
    };
    if (integration)
      patch.mutate({ id: integration.id, version: integration.version, ...shared }, then);
    else add.mutate({ type, ...shared }, then);
  });
  return (
    <FormDialog
      title={integration ? `Change ${integration.name}` : 'Add a stream'}
      size="lg"
      explain="A stream sends entries of the whole log, whoever made it, from the moment that it is added."
      submit={integration ? 'Save' : 'Add stream'}
      error={change.error}
      marked={MARKED}
      pending={change.isPending}
      onSubmit={submit}
      onClose={onClose}
      aside={
        integration && (
          <Remove
            what={integration.name}
            room="settings"
            explain="Nothing is sent any more, and its position and dead letters are removed. The entries stay in the log."
            remove={() => removeIntegration(integration.id)}
            onRemoved={onClose}
          />
        )
      }
    >
      <TextInput
        label="Name"
        placeholder="Splunk in production"
        maxLength={100}
        withAsterisk
        data-autofocus
        {...form.getInputProps('name')}
      />
      {!integration && (
        <Select
          label="Type"
          data={TYPES}
          allowDeselect={false}
          value={form.values.type}
          onChange={(value) => value && choose(value as ReceiverType)}
        />
      )}
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {kind.fields.map(({ name, label, description, placeholder, required, choices }) =>
          choices ? (
            <Select
              key={`${form.values.type}-${name}`}
              label={label}
              data={choices}
              allowDeselect={false}
              {...form.getInputProps(`settings.${name}`)}
              value={form.values.settings[name] ?? choices[0]?.value}
            />
          ) : (
            <TextInput
              key={`${form.values.type}-${name}`}
              label={label}
              description={description}
              placeholder={placeholder}
              withAsterisk={required}
              autoComplete="off"
              {...form.getInputProps(`settings.${name}`)}
              value={form.values.settings[name] ?? ''}
            />
          ),
        )}
        {kind.secret && (
          <PasswordInput
            label={kind.secret.label}
            description={kind.secret.description}
            withAsterisk={kind.secret.required && !integration}
            autoComplete="off"
            placeholder={integration?.has_secret ? 'Unchanged' : undefined}
            {...form.getInputProps('secret')}
          />
        )}
      </SimpleGrid>
      <Select
        label="Format"
        data={kind.formats.map((value) => ({ value, label: FORMATS[value] }))}
        allowDeselect={false}
        {...form.getInputProps('format')}
      />
      <TextInput
        label="Query"
        description="Entries that are sent; leave empty to send all"
        placeholder="severity:(high OR critical)"
        {...form.getInputProps('query')}
      />
    </FormDialog>
  );
}

/** Settings that have no field in the form. */
function keptOf({ type, settings }: Integration) {
  const fields = new Set<string>(KINDS[type].fields.map(({ name }) => name));
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !fields.has(name)));
}
