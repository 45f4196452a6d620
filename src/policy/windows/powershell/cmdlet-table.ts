/** A parameter of a cmdlet. */
export interface ParameterSpec {
  /** Its names in lower case, the real one first. */
  readonly names: readonly string[];
  /** What its value is: nothing (a switch), something, or a path that is read, written or deleted. */
  readonly takes: "switch" | "value" | "read" | "write" | "delete" | "path";
  readonly positional: boolean;
}

const filters = "Filter= Include= Exclude=";
const paths = "@Path:p LiteralPath|PSPath|LP:p";

/**
 * Parameters, those first that a short form means rather than others. `@`: also by position; `=`: takes a value; `:r`, `:w`, `:d`: takes paths that are
 * read, written, deleted; `:p`: paths that are only named, or that need a closer look.
 */
const table: Readonly<Record<string, string>> = {
  "add-content": `@Path:w @Value= LiteralPath|PSPath|LP:w ${filters} Force NoNewline PassThru AsByteStream Encoding= Stream= Credential=`,
  "clear-content": `@Path:w LiteralPath|PSPath|LP:w ${filters} Force Stream= Credential=`,
  "clear-item": `${paths} ${filters} Force Credential=`,
  "compare-object": `@ReferenceObject= @DifferenceObject= Property= ExcludeDifferent IncludeEqual PassThru Culture= CaseSensitive SyncWindow=`,
  "convert-path": paths,
  "copy-item": `Recurse @Path:p @Destination:p LiteralPath|PSPath|LP:p Container Force ${filters} PassThru Credential= FromSession= ToSession=`,
  "export-clixml": `@Path:w LiteralPath|PSPath|LP:w InputObject= Force NoClobber Encoding= Depth=`,
  "export-csv": `@Path:w LiteralPath|PSPath|LP:w @Delimiter= InputObject= Force NoClobber Encoding= Append UseCulture IncludeTypeInformation NoTypeInformation QuoteFields= UseQuotes=`,
  "format-hex": `@Path:r LiteralPath|PSPath|LP:r InputObject= Encoding= Count= Offset=`,
  "format-list": `@Property= GroupBy= View= ShowError DisplayError Force Expand= InputObject=`,
  "format-table": `@Property= AutoSize HideTableHeaders RepeatHeader Wrap GroupBy= View= ShowError DisplayError Force Expand= InputObject=`,
  "format-wide": `@Property= AutoSize Column= GroupBy= View= Force InputObject=`,
  "get-acl": `@Path:r LiteralPath|PSPath:r Audit`,
  "get-alias": `@Name= Exclude= Scope= Definition=`,
  "get-childitem": `Recurse|S @Path:p @Filter= LiteralPath|PSPath|LP:p Include= Exclude= Depth= Force Name FollowSymlink Attributes= Directory|AD File|AF Hidden|AH|H ReadOnly|AR System|AS`,
  "get-command": `@Name= Verb= Noun= Module= All Syntax ShowCommandInfo ListImported CommandType|Type= TotalCount= ArgumentList= FullyQualifiedModule= ParameterName= ParameterType= UseFuzzyMatching`,
  "get-content": `@Path:r ReadCount= TotalCount|First|Head= Tail|Last= LiteralPath|PSPath|LP:r ${filters} Raw Wait Force Delimiter= Stream= Encoding= AsByteStream Credential=`,
  "get-date": `@Date= UnixTimeSeconds= Year= Month= Day= Hour= Minute= Second= Millisecond= DisplayHint= Format= UFormat= AsUTC`,
  "get-filehash": `@Path:r LiteralPath|PSPath|LP:r Algorithm= InputStream=`,
  "get-help": `@Name= Path= Category= Component= Functionality= Role= Detailed Full Examples Parameter= Online ShowWindow`,
  "get-item": `${paths} ${filters} Force Stream= Credential=`,
  "get-itemproperty": `@Path:r @Name= LiteralPath|PSPath|LP:r ${filters} Credential=`,
  "get-location": `PSProvider= PSDrive= Stack StackName=`,
  "get-member": `@Name= InputObject= MemberType= View= Static Force`,
  "get-process": `@Name= Id= IncludeUserName Module FileVersionInfo InputObject= ComputerName=`,
  "get-psdrive": `@Name= LiteralName= PSProvider= Scope=`,
  "get-service": `@Name= DisplayName= DependentServices RequiredServices ServicesDependedOn ${filters} InputObject= ComputerName=`,
  "get-unique": `InputObject= AsString OnType CaseInsensitive`,
  "group-object": `@Property= NoElement AsHashTable AsString InputObject= Culture= CaseSensitive`,
  "import-clixml": `@Path:r LiteralPath|PSPath|LP:r IncludeTotalCount Skip= First=`,
  "import-csv": `@Path:r @Delimiter= LiteralPath|PSPath|LP:r UseCulture Header= Encoding=`,
  "join-path": `@Path|PSPath= @ChildPath= @AdditionalChildPath= Resolve Credential= Extension=`,
  "measure-object": `@Property= InputObject= Sum Average Maximum Minimum AllStats StandardDeviation Line Word Character IgnoreWhiteSpace`,
  "move-item": `@Path:p @Destination:p LiteralPath|PSPath|LP:p Force ${filters} PassThru Credential=`,
  "new-item": `@Path:p ItemType|Type= Value|Target= Name= Force Credential= Options=`,
  "out-file": `@FilePath|Path:w @Encoding= LiteralPath|PSPath|LP:w Append Force NoClobber|NoOverwrite Width= NoNewline InputObject=`,
  "out-host": `Paging InputObject=`,
  "out-null": `InputObject=`,
  "out-string": `Stream Width= NoNewline InputObject=`,
  "pop-location": `PassThru StackName=`,
  "push-location": `@Path= LiteralPath= PassThru StackName=`,
  "remove-item": `Recurse @Path:p Force LiteralPath|PSPath|LP:p ${filters} Stream= Credential=`,
  "rename-item": `@Path:p @NewName= LiteralPath|PSPath|LP:p Force PassThru Credential=`,
  "resolve-path": `${paths} Relative RelativeBasePath= Force Credential=`,
  "select-object": `@Property= InputObject= ExcludeProperty= ExpandProperty= Unique CaseInsensitive Last= First= Skip= SkipLast= SkipIndex= Wait Index=`,
  "select-string": `@Pattern= @Path:r LiteralPath|PSPath|LP:r InputObject= SimpleMatch CaseSensitive Quiet List NoEmphasis Include= Exclude= NotMatch AllMatches Encoding= Context= Culture= Raw`,
  "set-content": `@Path:w @Value= LiteralPath|PSPath|LP:w ${filters} Force NoNewline PassThru AsByteStream Encoding= Stream= Credential=`,
  "set-location": `@Path= LiteralPath|PSPath|LP= PassThru StackName=`,
  "sort-object": `@Property= Descending Unique Top= Bottom= Stable InputObject= Culture= CaseSensitive`,
  "split-path": `@Path= LiteralPath|PSPath|LP= Qualifier NoQualifier Parent Leaf LeafBase Extension Resolve IsAbsolute Credential=`,
  "start-sleep": `@Seconds= Milliseconds|MS= Duration=`,
  "start-transcript": `@Path:w LiteralPath|PSPath|LP:w OutputDirectory= Append Force NoClobber IncludeInvocationHeader UseMinimalHeader`,
  "tee-object": `@FilePath|Path:w LiteralPath|PSPath|LP:w InputObject= Append Variable= Encoding=`,
  "test-path": `@Path:r LiteralPath|PSPath|LP:r ${filters} PathType|Type= IsValid OlderThan= NewerThan= Credential=`,
  "unblock-file": `@Path:w LiteralPath|PSPath|LP:w`,
  "write-host": `@Object|Msg|Message= NoNewline Separator= ForegroundColor= BackgroundColor=`,
  "write-output": `@InputObject= NoEnumerate`,
  "write-error": `@Message|Msg= Exception= ErrorRecord= Category= ErrorId= TargetObject= RecommendedAction=`,
  "write-warning": `@Message|Msg=`,
  "write-verbose": `@Message|Msg=`,
  "write-debug": `@Message|Msg=`,
  "write-information": `@MessageData|Msg|Message= Tags=`,
  "clear-host": "",
  "expand-archive": `@Path:r @DestinationPath:p LiteralPath|PSPath:r Force PassThru`,
  "compress-archive": `@Path:p @DestinationPath:w LiteralPath|PSPath:p Update Force PassThru CompressionLevel=`,
  // Not seen through, but their words must be told apart.
  "foreach-object": `@Process= Begin= End= RemainingScripts= MemberName= ArgumentList|Args= Parallel= ThrottleLimit= TimeoutSeconds= AsJob UseNewRunspace InputObject=`,
  "where-object": `@FilterScript|Property= @Value= InputObject= Like NotLike EQ NE GT GE LT LE Match NotMatch Contains NotContains In NotIn Is IsNot Not CEQ CNE CLike CMatch`,
  "invoke-command": `@ScriptBlock|Command= ArgumentList|Args= ComputerName|Cn= Session= Credential= FilePath= InputObject= JobName= NoNewScope AsJob HideComputerName|HCN ThrottleLimit= VMName= VMId= ContainerId= HostName= UserName=`,
  "invoke-expression": `@Command=`,
  "start-job": `@ScriptBlock|Command= @InitializationScript= ArgumentList|Args= Name= FilePath= Credential= InputObject= WorkingDirectory= RunAs32`,
  "start-threadjob": `@ScriptBlock= ArgumentList= Name= FilePath= InputObject= ThrottleLimit= InitializationScript=`,
  "start-process": `@FilePath|PSPath|Path= @ArgumentList|Args= Verb= Credential|RunAs= WorkingDirectory= WindowStyle= Wait NoNewWindow|NNW PassThru LoadUserProfile|Lup UseNewEnvironment Environment= RedirectStandardInput|RSI:r RedirectStandardOutput|RSO:w RedirectStandardError|RSE:w`,
  "set-alias": `@Name= @Value= Description= Option= Scope= Force PassThru`,
  "new-alias": `@Name= @Value= Description= Option= Scope= Force PassThru`,
  "set-variable": `@Name= @Value= Include= Exclude= Description= Option= Force Visibility= PassThru Scope=`,
  "new-variable": `@Name= @Value= Description= Option= Force Visibility= PassThru Scope=`,
  "get-variable": `@Name= ValueOnly Include= Exclude= Scope=`,
  "set-item": `${paths} @Value= ${filters} Force PassThru Credential=`,
  "new-psdrive": `@Name= @PSProvider= @Root= Description= Scope= Persist Credential=`,
  "invoke-wmimethod": `@Class= @Name= Path= InputObject= ArgumentList|Args= Namespace= ComputerName= Credential= AsJob`,
  "invoke-cimmethod": `@ClassName|Class= @Arguments= @MethodName|Name= InputObject= Namespace= ComputerName= CimSession= Query= Property= Key=`,
  "format-volume": `@DriveLetter= FileSystem= NewFileSystemLabel= Path= Partition= InputObject= Full Force Compress`,
  "clear-disk": `@Number= RemoveData RemoveOEM PassThru ZeroOutEntireDisk AsJob UniqueId= Path= FriendlyName= InputObject=`,
  "initialize-disk": `@Number= PartitionStyle= PassThru AsJob UniqueId= Path= FriendlyName= VirtualDisk= InputObject=`,
  "reset-physicaldisk": `@UniqueId= FriendlyName= InputObject=`,
  "new-object": `@TypeName= @ArgumentList|Args= ComObject= Strict Property=`,
  "remove-partition": `@DiskNumber= @PartitionNumber= DriveLetter= DiskId= Offset= InputObject= PassThru`,
  "new-scheduledtaskaction": `@Execute= @Argument= @WorkingDirectory= Id=`,
  "new-scheduledtaskprincipal": `@UserId= @LogonType= @RunLevel= ProcessTokenSidType= RequiredPrivilege= Id= GroupId=`,
  "register-scheduledtask": `@TaskName= @Action= @Trigger= @Settings= User= Password= RunLevel= TaskPath= Principal= Xml= InputObject= Description= Force AsJob`,
};

const common =
  "Verbose|VB Debug|DB WhatIf|WI Confirm|CF ErrorAction|EA= WarningAction|WA= InformationAction|InfA= ProgressAction|ProgA= OutBuffer|OB= ErrorVariable|EV= WarningVariable|WV= InformationVariable|IV= OutVariable|OV= PipelineVariable|PV= UseTransaction|UseTx";

const takes: Readonly<Record<string, ParameterSpec["takes"]>> = {
  "": "switch",
  "=": "value",
  ":r": "read",
  ":w": "write",
  ":d": "delete",
  ":p": "path",
};

/** The parameters of a cmdlet, and those that all have; undefined where the cmdlet is not known. */
export function parametersOf(name: string): readonly ParameterSpec[] | undefined {
  return specs.get(name);
}

function read(own: string): readonly ParameterSpec[] {
  return `${own} ${common}`
    .split(" ")
    .filter((each) => each !== "")
    .map((each) => {
      const [, at = "", names = "", end = ""] = /^(@?)([^=:]+)(.*)$/.exec(each) ?? [];
      return { names: names.toLowerCase().split("|"), takes: takes[end] ?? "value", positional: at !== "" };
    });
}

const specs = new Map(Object.entries(table).map(([name, own]) => [name, read(own)]));
