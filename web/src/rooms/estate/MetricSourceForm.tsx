import {
  PasswordInput,
  SegmentedControl,
  SimpleGrid,
  Switch,
  Text,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import type { MetricSource } from '../../api/bodies';
import { fieldMessages } from '../../api/problem';
import { announce } from '../../display/announce';
import { FormDialog } from '../../display/FormDialog';
import { Remove } from '../../display/Remove';
import {
  addMetricSource,
  changeMetricSource,
  editable,
  removeMetricSource,
  ruleOf,
} from './metric-sources';
import { MetricRules } from './MetricRules';
import { useChange } from './queries';

const MARKED = [
  'name',
  'url',
  'credentials.bearer_token',
  'credentials.username',
  'credentials.password',
];

interface Props {
  source?: MetricSource;
  /** The token of a new source that pushes, shown once by whoever opened the form. */
  onMade: (token: string, path: string) => void;
  onClose: () => void;
}

/** A new Prometheus server, or a change of one. Credentials go in and never come out: empty means unchanged. */
export function MetricSourceForm({ source, onMade, onClose }: Props) {
  const add = useChange(addMetricSource);
  const patch = useChange(changeMetricSource);
  const change = source ? patch : add;
  const form = useForm({
    initialValues: {
      name: source?.name ?? '',
      kind: source?.kind ?? 'remote_write',
      url: source?.url ?? '',
      credentials: { bearer_token: '', username: '', password: '' },
      rules: (source?.rules ?? []).map(editable),
      enabled: source?.enabled ?? true,
    },
    validate: {
      name: (value) => (value.trim() === '' ? 'Enter a name' : null),
      url: (value, values) =>
        values.kind === 'query' && value.trim() === '' ? 'Enter the address of the server' : null,
    },
  });
  const queried = form.values.kind === 'query';
  const submit = form.onSubmit(({ name, kind, url, credentials, rules, enabled }) => {
    // The service names a rule's field `rules[0].series`, the form `rules.0.series`.
    const onError = (error: Error) =>
      form.setErrors(
        Object.fromEntries(
          Object.entries(fieldMessages(error)).map(([field, message]) => [
            field.replace(/\[(\d+)\]/g, '.$1'),
            message,
          ]),
        ),
      );
    const given = Object.values(credentials).some(Boolean) ? credentials : undefined;
    const shared = {
      name: name.trim(),
      url: queried ? url.trim() : undefined,
      credentials: given,
      rules: rules.map(ruleOf),
    };
    if (source) {
      patch.mutate(
        { id: source.id, version: source.version, enabled, ...shared },
        {
          onSuccess: () => {
            announce('Metric source changed.');
            onClose();
          },
          onError,
        },
      );
    } else {
      const onSuccess = (made: { token?: string | null; write_path?: string | null }) => {
        announce('Metric source added.');
        if (made.token && made.write_path) onMade(made.token, made.write_path);
        else onClose();
      };
      add.mutate({ kind, ...shared }, { onSuccess, onError });
    }
  });
  const unchanged = source && source.credentials_kind !== 'none' ? 'Unchanged' : undefined;
  return (
    <FormDialog
      title={source ? `Change ${source.name}` : 'Add a Prometheus server'}
      size="xl"
      submit={source ? 'Save' : 'Add metric source'}
      error={change.error}
      marked={MARKED}
      pending={change.isPending}
      onSubmit={submit}
      onClose={onClose}
      aside={
        source && (
          <Remove
            what={source.name}
            room="estate"
            explain="Reeve takes no more metrics from it. Samples that are stored stay."
            remove={() => removeMetricSource(source.id)}
            onRemoved={onClose}
          />
        )
      }
    >
      <TextInput
        label="Name"
        placeholder="Production Prometheus"
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
      {!source && (
        <SegmentedControl
          data={[
            { value: 'remote_write', label: 'Prometheus pushes to Reeve' },
            { value: 'query', label: 'Reeve queries Prometheus' },
          ]}
          aria-label="How metrics arrive"
          {...form.getInputProps('kind')}
        />
      )}
      {queried && (
        <>
          <TextInput
            label="Address"
            description="https, and not inside your own network unless the configuration allows it"
            placeholder="https://prometheus.example.com"
            withAsterisk
            {...form.getInputProps('url')}
          />
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            <PasswordInput
              label="Bearer token"
              autoComplete="off"
              placeholder={unchanged}
              {...form.getInputProps('credentials.bearer_token')}
            />
            <TextInput
              label="Or user name"
              autoComplete="off"
              {...form.getInputProps('credentials.username')}
            />
            <PasswordInput
              label="Password"
              autoComplete="off"
              placeholder={unchanged}
              {...form.getInputProps('credentials.password')}
            />
          </SimpleGrid>
        </>
      )}
      <Text size="sm" className="muted">
        Each rule turns series into one metric of your resources: offset + scale × series ÷ divisor,
        averaged over five minutes.
      </Text>
      <MetricRules
        rules={form.values.rules}
        field={(place, name) => form.getInputProps(`rules.${place}.${name}`)}
        onAdd={(more) => form.setFieldValue('rules', [...form.values.rules, ...more])}
        onRemove={(place) => form.removeListItem('rules', place)}
      />
      {source && (
        <Switch label="Switched on" {...form.getInputProps('enabled', { type: 'checkbox' })} />
      )}
    </FormDialog>
  );
}
