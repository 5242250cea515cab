import { NumberInput, PasswordInput, Select, Switch, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { fieldMessages } from '../../../api/problem';
import { announce } from '../../../display/announce';
import { FormDialog } from '../../../display/FormDialog';
import { Remove } from '../../../display/Remove';
import { useChange } from '../queries';
import { CALLBACKS, FORMATS, mappingOf, mappingText } from './formats';
import { addAlertSource, changeAlertSource, removeAlertSource } from './queries';
import type { AlertSource } from './queries';

interface Props {
  source?: AlertSource;
  /** The token of a new source, shown once by whoever opened the form. */
  onMade: (source: AlertSource, token: string) => void;
  onClose: () => void;
}

const NAMES = Object.entries(FORMATS).map(([value, label]) => ({ value, label }));

/** A new source of alerts, or a change of one. Credentials go in and never come out. */
export function SourceForm({ source, onMade, onClose }: Props) {
  const add = useChange(addAlertSource);
  const patch = useChange(changeAlertSource);
  const change = source ? patch : add;
  const form = useForm({
    initialValues: {
      name: source?.name ?? '',
      format: source?.format ?? 'ocsf',
      mapping: mappingText(source?.mapping ?? {}),
      callback: {
        method: source?.callback?.method ?? 'POST',
        url: source?.callback?.url ?? '',
        body: source?.callback?.body ?? '',
      },
      credentials: '',
      enabled: source?.enabled ?? true,
      expire_after_days: source?.expire_after_days ?? 30,
    },
    validate: { name: (value) => (value.trim() === '' ? 'Enter a name' : null) },
  });
  const { format } = form.values;
  const sample = CALLBACKS[format];
  const submit = form.onSubmit(
    ({ name, mapping, callback, credentials, enabled, expire_after_days, ...rest }) => {
      const onError = (error: Error) => form.setErrors(fieldMessages(error));
      const called = callback.url.trim() !== '';
      const shared = {
        name: name.trim(),
        mapping: rest.format === 'json' ? mappingOf(mapping) : {},
        callback: called ? { ...callback, url: callback.url.trim() } : undefined,
        credentials: credentials.trim() || undefined,
        enabled,
        expire_after_days,
      };
      if (source)
        patch.mutate(
          {
            id: source.id,
            version: source.version,
            remove_callback: !called && source.callback !== undefined,
            ...shared,
          },
          {
            onSuccess: () => {
              announce('Alert source changed.');
              onClose();
            },
            onError,
          },
        );
      else
        add.mutate(
          { format: rest.format, ...shared },
          {
            onSuccess: (made) => {
              announce('Alert source added.');
              onMade(made, made.token);
            },
            onError,
          },
        );
    },
  );
  return (
    <FormDialog
      title={source ? `Change ${source.name}` : 'Add a source of alerts'}
      size="lg"
      submit={source ? 'Save' : 'Add source'}
      error={change.error}
      marked={[
        'name',
        'mapping',
        'callback.url',
        'callback.body',
        'credentials',
        'expire_after_days',
      ]}
      pending={change.isPending}
      onSubmit={submit}
      onClose={onClose}
      aside={
        source && (
          <Remove
            what={source.name}
            room="intelligence"
            explain="Reeve takes no more alerts from it, and its alerts are removed. The audit log keeps their entries."
            remove={() => removeAlertSource(source.id)}
            onRemoved={onClose}
          />
        )
      }
    >
      <TextInput
        label="Name"
        placeholder="Elastic in production"
        maxLength={100}
        withAsterisk
        data-autofocus
        {...form.getInputProps('name')}
      />
      {!source && (
        <Select
          label="Format"
          data={NAMES}
          allowDeselect={false}
          {...form.getInputProps('format')}
        />
      )}
      {format === 'json' && (
        <Textarea
          label="Fields"
          description="field = path, one a line. A field without a path is read from the member of its own name"
          placeholder={'id = alert.key\ntitle = alert.name'}
          autosize
          minRows={3}
          {...form.getInputProps('mapping')}
        />
      )}
      <TextInput
        label="Address that closes an alert"
        description="Called when an alert, or its incident, is closed here. {id} stands for the tool's identifier. Leave empty if the tool offers none"
        placeholder={sample?.url ?? 'https://siem.example.com/alerts/{id}/close'}
        {...form.getInputProps('callback.url')}
      />
      {form.values.callback.url.trim() !== '' && (
        <>
          <Select
            label="Method"
            data={['POST', 'PUT', 'PATCH']}
            allowDeselect={false}
            {...form.getInputProps('callback.method')}
          />
          <Textarea
            label="Body"
            description="{id} and {comment} are replaced. A body that begins with { is JSON, any other a form"
            placeholder={sample?.body}
            autosize
            minRows={2}
            {...form.getInputProps('callback.body')}
          />
          <PasswordInput
            label="Authorization header"
            autoComplete="off"
            placeholder={source?.has_credentials ? 'Unchanged' : 'ApiKey ...'}
            {...form.getInputProps('credentials')}
          />
        </>
      )}
      <NumberInput
        label="Days until an alert expires"
        description="An open alert without a report for this long is closed here, unless an incident that is worked on has it"
        min={1}
        max={365}
        {...form.getInputProps('expire_after_days')}
      />
      <Switch label="Switched on" {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </FormDialog>
  );
}
