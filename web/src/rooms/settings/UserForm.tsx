import {
  Fieldset,
  MultiSelect,
  PasswordInput,
  Switch,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { Team, User } from '../../api/bodies';
import { fieldMessages } from '../../api/problem';
import { announce } from '../../display/announce';
import { FormDialog } from '../../display/FormDialog';
import { fromInput, toInput } from '../../display/instants';
import { options } from '../../display/wording';
import { frameworksQuery } from '../intelligence/compliance/queries';
import { changeUser, createUser, ROLES, useChange } from './queries';

const MARKED = [
  'email',
  'name',
  'roles',
  'teams',
  'password',
  'expires_at',
  'scope',
  'scope.accounts',
  'scope.frameworks',
  'scope.log_from',
  'scope.log_until',
];

interface ScopeValues {
  accounts: string[];
  frameworks: string[];
  log_from: string;
  log_until: string;
}

/** A scope as the service takes it; nothing without a limit. */
function scopeOf({ accounts, frameworks, log_from, log_until }: ScopeValues) {
  const [from, until] = [fromInput(log_from), fromInput(log_until)];
  if (accounts.length === 0 && frameworks.length === 0 && !from && !until) return undefined;
  return { accounts, frameworks, log_from: from ?? null, log_until: until ?? null };
}

export function UserForm({
  user,
  teams,
  onClose,
}: {
  user?: User;
  teams: Team[];
  onClose: () => void;
}) {
  const create = useChange(createUser);
  const patch = useChange(changeUser);
  const change = user ? patch : create;
  const frameworks = useQuery(frameworksQuery);
  const form = useForm({
    initialValues: {
      email: user?.email ?? '',
      name: user?.name ?? '',
      roles: user?.roles ?? ['regular_user'],
      teams: user?.teams ?? [],
      password: '',
      active: user?.active ?? true,
      expires_at: user?.expires_at ? toInput(new Date(user.expires_at)) : '',
      scope: {
        accounts: user?.scope?.accounts ?? [],
        frameworks: user?.scope?.frameworks ?? [],
        log_from: user?.scope?.log_from ? toInput(new Date(user.scope.log_from)) : '',
        log_until: user?.scope?.log_until ? toInput(new Date(user.scope.log_until)) : '',
      },
    },
    validate: {
      email: (value) => (value.includes('@') ? null : 'Enter an e-mail address'),
      name: (value) => (value.trim() === '' ? 'Enter a name' : null),
      roles: (value) => (value.length === 0 ? 'Choose at least one role' : null),
    },
  });
  const submit = form.onSubmit(({ email, password, active, expires_at, scope, ...rest }) => {
    const end = fromInput(expires_at);
    const done = {
      onSuccess: () => {
        announce(user ? 'User changed.' : 'User added.');
        onClose();
      },
      onError: (error: Error) => form.setErrors(fieldMessages(error)),
    };
    // An end that was not touched is not sent: one that has passed would be refused.
    const touched = form.isDirty('expires_at');
    if (user)
      patch.mutate(
        {
          id: user.id,
          ...rest,
          active,
          password: password || undefined,
          ...(touched && { expires_at: end ?? null }),
          ...(form.isDirty('scope') && { scope: scopeOf(scope) ?? null }),
        },
        done,
      );
    else
      create.mutate(
        {
          ...rest,
          email: email.trim(),
          password: password || undefined,
          expires_at: end,
          scope: scopeOf(scope),
        },
        done,
      );
  });
  return (
    <FormDialog
      title={user ? `Change ${user.name}` : 'Add a user'}
      submit={user ? 'Save' : 'Add user'}
      error={change.error}
      marked={MARKED}
      pending={change.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} />
      <TextInput
        label="E-mail address"
        type="email"
        required
        readOnly={Boolean(user)}
        variant={user ? 'filled' : 'default'}
        {...form.getInputProps('email')}
      />
      <MultiSelect label="Roles" required data={options(ROLES)} {...form.getInputProps('roles')} />
      <MultiSelect
        label="Teams"
        data={teams.map(({ id, name }) => ({ value: id, label: name }))}
        placeholder={teams.length ? undefined : 'No teams yet'}
        {...form.getInputProps('teams')}
      />
      <PasswordInput
        label={user ? 'New password' : 'Password'}
        description={user ? 'Empty: unchanged' : 'Empty: signs in with API tokens only'}
        autoComplete="new-password"
        {...form.getInputProps('password')}
      />
      <TextInput
        label="Access ends"
        description="Your time zone. Leave empty for no end"
        type="datetime-local"
        {...form.getInputProps('expires_at')}
      />
      <Fieldset legend="Scope" variant="filled">
        <Text size="xs" className="muted" mb="xs">
          Limits an auditor to a part. Leave empty for no limit.
        </Text>
        <TagsInput
          label="Accounts"
          description="Identifiers of the provider, such as 111122223333"
          {...form.getInputProps('scope.accounts')}
        />
        <MultiSelect
          label="Frameworks"
          data={frameworks.data?.items.map(({ id, title }) => ({ value: id, label: title })) ?? []}
          {...form.getInputProps('scope.frameworks')}
        />
        <TextInput
          label="Log from"
          description="Your time zone"
          type="datetime-local"
          {...form.getInputProps('scope.log_from')}
        />
        <TextInput
          label="Log until"
          type="datetime-local"
          {...form.getInputProps('scope.log_until')}
        />
      </Fieldset>
      {user && (
        <Switch label="May sign in" {...form.getInputProps('active', { type: 'checkbox' })} />
      )}
    </FormDialog>
  );
}
